package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many operate at once while plans run on threads. */
class StormTests extends RolloutsTestCase {

    private static final int TENANTS = 30;
    private static final int PEOPLE = 4;
    private static final int WISHES_IN_A_DATABASE = Depth.pick(50, 300, 1_000);
    private static final int WISHES = Depth.pick(2_000, 20_000, 100_000);

    /** People stop early where everything is slow: the test waits for them only so long. */
    private static final Duration LONGEST = Deadline.LONG.dividedBy(2);

    private final Map<TenantId, Thread> inside = new ConcurrentHashMap<>();
    private final AtomicInteger twiceAtOnce = new AtomicInteger();
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    private Stage stage(String name, Random random) {
        return Stage.named(name)
                .step(this::work)
                .step(ctx -> {
                    if (random.nextInt(8) == 0) {
                        throw new IllegalStateException("broken");
                    }
                })
                .rollback(this::work)
                .rollback(ctx -> {
                    if (random.nextInt(8) == 0) {
                        throw new IllegalStateException("stuck");
                    }
                });
    }

    private void work(StageContext ctx) {
        if (inside.put(ctx.tenantId(), Thread.currentThread()) != null) {
            twiceAtOnce.incrementAndGet();
        }
        most.accumulateAndGet(now.incrementAndGet(), Math::max);
        now.decrementAndGet();
        inside.remove(ctx.tenantId());
    }

    @Test
    @Tag("R34")
    @Tag("R41")
    @Tag("R82")
    @Tag("R120")
    @Tag("R123")
    void whateverPeopleWantThePlanComesToRestAndItsStoryHoldsTogether() throws Exception {
        long seed = Depth.seed();
        Random random = new Random(seed);
        Rollouts rollouts = rollouts(stage("A", random), stage("B", random), stage("C", random));
        TenantChange[] changes = IntStream.range(0, TENANTS)
                .mapToObj(index -> Samples.change("t" + index).maxRetry(1_000_000))
                .toArray(TenantChange[]::new);
        PlanId planId = rollouts.start(plan("x", 3, changes)).planId();

        List<Caller<Integer>> people = new ArrayList<>();
        for (int person = 0; person < PEOPLE; person++) {
            Random own = new Random(seed + person);
            people.add(Caller.start(() -> operate(rollouts, planId, own)));
        }
        int accepted = 0;
        for (Caller<Integer> person : people) {
            accepted += person.result();
        }
        assertThat(accepted).as("-Dseed=%s", seed).isPositive();
        letGo(rollouts, planId);

        settled(rollouts, planId);
        assertThat(most).hasValueLessThanOrEqualTo(3);
        assertThat(twiceAtOnce).hasValue(0);
        assertThat(rollouts.tasks(planId))
                .allSatisfy(
                        task -> assertThat(rollouts.isRunning(task.tenantId())).isFalse());
        checkStory(planId);
    }

    /** {@return how often it was accepted} */
    private int operate(Rollouts rollouts, PlanId planId, Random random) {
        int accepted = 0;
        long start = System.nanoTime();
        int wishes = many(WISHES, WISHES_IN_A_DATABASE);
        for (int wish = 0; wish < wishes && System.nanoTime() - start < LONGEST.toNanos(); wish++) {
            Target target = random.nextInt(5) == 0 ? planId : TenantId.of("t" + random.nextInt(TENANTS));
            try {
                switch (random.nextInt(8)) {
                    case 0, 1 -> rollouts.pause(target);
                    case 2, 3, 4 -> rollouts.resume(target);
                    case 5, 6 -> rollouts.retry(target, random.nextBoolean());
                    default -> {
                        if (!target.equals(planId)) {
                            rollouts.rollback(target);
                        }
                    }
                }
                accepted++;
            } catch (TaskOperationException refused) {
                assertThat(refused.errorType()).isNotEmpty();
            }
        }
        return accepted;
    }

    /** Nobody wants to pause any more. */
    private static void letGo(Rollouts rollouts, PlanId planId) {
        Deadline.until("no pause is left", () -> {
            List<Target> paused = new ArrayList<>(List.of(planId));
            rollouts.tasks(planId).stream()
                    .filter(task -> task.status() == TaskStatus.PAUSED || task.wish() != null)
                    .forEach(task -> paused.add(task.taskId()));
            for (Target target : paused) {
                try {
                    rollouts.resume(target);
                } catch (TaskOperationException refused) {
                    assertThat(refused.errorType()).isNotEmpty();
                }
            }
            return rollouts.plan(planId).status().isSettled();
        });
    }

    private void checkStory(PlanId planId) {
        Map<Object, List<RolloutEvent>> bySubject = new HashMap<>();
        for (RolloutEvent event : events) {
            bySubject
                    .computeIfAbsent(event.taskId() == null ? planId : event.taskId(), id -> new ArrayList<>())
                    .add(event);
        }
        assertThat(bySubject).hasSize(TENANTS + 1);
        bySubject.forEach((subject, story) -> {
            assertThat(story.stream().map(RolloutEvent::sequenceId))
                    .isEqualTo(LongStream.rangeClosed(1, story.size()).boxed().toList());
            RolloutModel.checkEdges(
                    subject.equals(planId),
                    story.stream().map(event -> event.status().name()).toList());
        });
    }

    @Test
    @Tag("R37")
    @Tag("R41")
    void ofManyWhoStartAtOnceOneIsFirst() throws Exception {
        Gate gate = new Gate();
        Rollouts rollouts = rollouts(Stage.named("A").step(ctx -> gate.pass()));
        List<PlanId> plans = IntStream.range(0, 4)
                .mapToObj(index -> rollouts.create(plan("p" + index, Samples.change("acme"), Samples.change("zorg")))
                        .planId())
                .toList();
        List<Caller<Boolean>> starts = new ArrayList<>();
        for (PlanId planId : plans) {
            for (int again = 0; again < 2; again++) {
                starts.add(Caller.start(() -> starts(rollouts, planId)));
            }
        }
        int started = 0;
        for (Caller<Boolean> start : starts) {
            started += start.result() ? 1 : 0;
        }
        assertThat(started).isEqualTo(plans.size());
        gate.open();
        int completed = 0;
        for (PlanId planId : plans) {
            settled(rollouts, planId);
            completed += (int) rollouts.tasks(planId).stream()
                    .filter(task -> task.status() == TaskStatus.COMPLETED)
                    .count();
        }
        assertThat(completed).isEqualTo(2);
    }

    private static boolean starts(Rollouts rollouts, PlanId planId) {
        try {
            rollouts.start(planId);
            return true;
        } catch (TaskOperationException refused) {
            return false;
        }
    }
}
