package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An event is delivered when the sink has returned. */
class EventDeliveryTests extends RolloutsTestCase {

    private static final Duration SOON = Duration.ofMillis(10);
    private static final Duration NEVER = Duration.ofDays(1);
    private static final PlanId PLAN = PlanId.of("plan-x");

    private final AtomicInteger refusals = new AtomicInteger();
    private final List<String> counters = new CopyOnWriteArrayList<>();
    private final List<Stage> stages = List.of(Stage.named("A"), Stage.named("B"));

    /** A sink that refuses so many times what it is to refuse, and takes all else. */
    private RolloutEventSink refusing(int times, Predicate<RolloutEvent> what) {
        refusals.set(times);
        return event -> {
            if (what.test(event) && refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IllegalStateException("refused");
            }
            events.add(event);
        };
    }

    private MetricsRegistry counting() {
        return new MetricsRegistry() {
            @Override
            public void incrementCounter(String name, PlanId planId) {
                counters.add(name);
            }

            @Override
            public void setGauge(String name, PlanId planId, double value) {}
        };
    }

    private List<Long> numbers(Predicate<RolloutEvent> what) {
        return events.stream().filter(what).map(RolloutEvent::sequenceId).toList();
    }

    private static boolean isOfATask(RolloutEvent event) {
        return event.taskId() != null;
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    private void assertAllDeliveredInOrder() {
        long last = store.findByPlanId(PLAN).getFirst().sequence();
        assertThat(last).isGreaterThanOrEqualTo(11);
        assertThat(numbers(EventDeliveryTests::isOfATask)).isEqualTo(upTo(last));
        assertThat(numbers(event -> !isOfATask(event)))
                .isEqualTo(upTo(store.findPlan(PLAN).orElseThrow().sequence()));
    }

    @Test
    @Tag("R83")
    @Tag("R90")
    @Tag("R110")
    @Tag("R160")
    void aSinkThatThrowsTenTimesGetsAllEventsInOrder() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        Rollouts rollouts = rollouts(builder -> builder.stages(stages)
                .firstEventRetry(SOON)
                .metrics(counting())
                .sink(refusing(10, event -> tries.incrementAndGet() % 2 == 0)));
        rollouts.start(plan("x", Samples.change("acme")));

        awaitTold(PLAN);
        Deadline.until("completed", () -> rollouts.plan(PLAN).status() == PlanStatus.COMPLETED);
        awaitTold(PLAN);
        assertThat(refusals).hasValue(0);
        assertAllDeliveredInOrder();
        assertThat(counters).as("counted once, however often it is tried").containsExactly("task_completed");
    }

    @Test
    @Tag("R160")
    void aPlanAtRestDeliversWhatItsSinkRefusedThoughTheProcessIsStartedAgain() throws Exception {
        Rollouts first = rollouts(builder ->
                builder.stages(stages).sink(refusing(Integer.MAX_VALUE, event -> event.sequenceId() > 2)));
        first.start(plan("x", Samples.change("acme")));
        assertThat(settled(first, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        first.close();
        assertThat(store.findUnpublished(PLAN, 1)).isNotEmpty();
        refusals.set(0);

        rollouts(stages.toArray(Stage[]::new));
        awaitTold(PLAN);
        assertAllDeliveredInOrder();
    }

    @Test
    @Tag("R160")
    @Tag("R122")
    void whoTakesOverDeliversInOrderWhatTheSinkRefusedBeforeTheKill() throws Exception {
        HaltingStore halting = new HaltingStore(store);
        try (GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts first = builder(doomed, halting)
                    .stages(stages)
                    .firstEventRetry(SOON)
                    .shutdownGrace(Duration.ZERO)
                    .sink(refusing(Integer.MAX_VALUE, event -> event.sequenceId() > 3))
                    .build();
            first.start(plan("x", Samples.change("acme")));
            Deadline.until("refused some", () -> refusals.get() < Integer.MAX_VALUE - 2);
            halting.halt();
            first.close();
        }
        refusals.set(0);

        Rollouts second = rollouts(builder -> builder.stages(stages));
        assertThat(settled(second, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        awaitTold(PLAN);
        TaskId taskId = onlyTask(second, PLAN);
        assertThat(events.stream()
                        .filter(event -> taskId.equals(event.taskId()))
                        .map(RolloutEvent::sequenceId)
                        .distinct())
                .containsExactlyElementsOf(
                        upTo(store.findById(taskId).orElseThrow().sequence()));
    }

    @Test
    @Tag("R160")
    void aPlanIsSettledAndOthersAreToldThoughItsSinkRefusesAll() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(stages)
                .giveUpEventsAfter(NEVER)
                .sink(refusing(Integer.MAX_VALUE, event -> event.planId().equals(PLAN))));
        rollouts.start(plan("x", Samples.change("acme")));
        PlanId other = rollouts.start(plan("y", Samples.change("zorg"))).planId();

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(settled(rollouts, other).status()).isEqualTo(PlanStatus.COMPLETED);
        awaitTold(other);
        assertThat(toldOfPlan(other)).endsWith(PlanStatus.COMPLETED);
        assertThat(events).noneMatch(event -> event.planId().equals(PLAN));
        assertThat(rollouts.purge(Duration.ZERO))
                .as("what isn't delivered yet is kept")
                .isEqualTo(1);
        Deadline.until("nothing runs for it", () -> executor.stats().running() == 0);
        rollouts.rollback(PLAN);
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.ROLLED_BACK);
    }

    @Test
    @Tag("R160")
    void whatTheSinkRefusesForTooLongIsGivenUpAndTheOthersAreDelivered() throws Exception {
        Predicate<RolloutEvent> poison = event -> event.occurrence() instanceof Occurrence.TaskStarted;
        Rollouts rollouts = rollouts(builder -> builder.stages(stages)
                .firstEventRetry(SOON)
                .giveUpEventsAfter(Duration.ofMillis(50))
                .metrics(counting())
                .sink(refusing(Integer.MAX_VALUE, poison)));
        try (CapturedLog log = CapturedLog.open()) {
            rollouts.start(plan("x", Samples.change("acme")));
            Deadline.until("at rest", () -> store.findPlan(PLAN).orElseThrow().isAtRest());
            assertThat(log.warnings())
                    .filteredOn(line -> line.contains("given up"))
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .contains(
                                    "plan-x",
                                    "#3",
                                    "TaskStarted",
                                    onlyTask(rollouts, PLAN).value()));
        }
        long last = store.findByPlanId(PLAN).getFirst().sequence();
        List<Long> others = upTo(last).stream().filter(number -> number != 3).toList();
        assertThat(numbers(EventDeliveryTests::isOfATask)).isEqualTo(others);
        assertThat(counters).containsExactly("event_given_up", "task_completed");
        assertThat(refusals.get()).as("tried again").isLessThan(Integer.MAX_VALUE - 1);
    }

    @Test
    @Tag("R160")
    void withoutPatienceEachEventIsTriedOnce() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(stages)
                .giveUpEventsAfter(Duration.ZERO)
                .sink(refusing(Integer.MAX_VALUE, event -> true)));
        rollouts.start(plan("x", Samples.change("acme")));
        Deadline.until("at rest", () -> store.findPlan(PLAN).orElseThrow().isAtRest());

        long all = store.findByPlanId(PLAN).getFirst().sequence()
                + store.findPlan(PLAN).orElseThrow().sequence();
        assertThat(Integer.MAX_VALUE - refusals.get()).isEqualTo((int) all);
        assertThatThrownBy(() -> Rollouts.builder(executor).giveUpEventsAfter(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("giveUpEventsAfter is PT-0.001S; it must not be negative");
    }

    @Test
    @Tag("R160")
    void refusalsOfAPlanAreLoggedTheFirstTimeAndThenOnceAMinute() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(stages)
                .firstEventRetry(SOON)
                .sink(refusing(5, event -> event.planId().equals(PLAN))));
        try (CapturedLog log = CapturedLog.open()) {
            rollouts.start(plan("x", Samples.change("acme")));
            awaitTold(PLAN);
            Deadline.until("at rest", () -> store.findPlan(PLAN).orElseThrow().isAtRest());
            assertThat(log.warnings())
                    .filteredOn(line -> line.contains("sink"))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("plan-x", "#1", "PlanEntered"));
            assertThat(log.thrown()).anySatisfy(thrown -> assertThat(thrown).hasMessage("refused"));
        }
        assertThat(refusals).hasValue(0);
    }
}
