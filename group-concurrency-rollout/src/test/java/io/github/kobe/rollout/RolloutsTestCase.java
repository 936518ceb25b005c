package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.Snapshot;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Rollouts on each kind of store, what they tell, and how to wait for it. */
@ParameterizedClass(name = "{0}")
@MethodSource("kinds")
abstract class RolloutsTestCase {

    /** Hostile to everything but what brings its own limits. */
    protected final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .defaults(GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0))
            .build());

    protected final List<RolloutEvent> events = new CopyOnWriteArrayList<>();
    protected PlanStore store;
    private final List<Rollouts> opened = new ArrayList<>();
    private StoreKind.Opened kept;

    @Parameter
    private StoreKind kind;

    static List<StoreKind> kinds() {
        return StoreKind.ofThisDepth();
    }

    @BeforeEach
    final void openStore() {
        kept = kind.open();
        store = kept.store();
    }

    /** {@return how many, since in a database each commit takes its time} */
    protected final int many(int inMemory, int inADatabase) {
        return kind == StoreKind.MEMORY ? inMemory : inADatabase;
    }

    protected final boolean hasCheckpoints() {
        return kept.checkpoints() != null;
    }

    /** {@return what sets up rollouts on another executor or store, with checkpoints where this kind has them} */
    protected final RolloutsBuilder builder(GroupExecutor anyExecutor, PlanStore anyStore) {
        RolloutsBuilder builder = Rollouts.builder(anyExecutor).store(anyStore);
        return kept.checkpoints() == null ? builder : builder.checkpoints(kept.checkpoints());
    }

    protected final Rollouts rollouts(UnaryOperator<RolloutsBuilder> setup) {
        Rollouts rollouts = setup.apply(builder(executor, store).node("n1").sink(events::add))
                .build();
        opened.add(rollouts);
        return rollouts;
    }

    protected final Rollouts rollouts(Stage... stages) {
        return rollouts(builder -> builder.stages(stages));
    }

    @AfterEach
    void closeAll() {
        opened.forEach(Rollouts::close);
        executor.close();
        kept.close();
    }

    protected static RolloutPlan plan(String name, TenantChange... changes) {
        RolloutPlan.Builder plan = RolloutPlan.named("plan-" + name);
        for (TenantChange change : changes) {
            plan.add(change);
        }
        return plan.build();
    }

    protected static RolloutPlan plan(String name, int maxConcurrency, TenantChange... changes) {
        return new RolloutPlan("plan-" + name, maxConcurrency, List.of(changes));
    }

    /** {@return the plan at its rest} */
    protected static PlanInfo settled(Rollouts rollouts, PlanId planId) throws InterruptedException {
        PlanInfo plan = rollouts.await(planId, Deadline.LONG);
        assertThat(plan.status().isSettled()).as("settled: %s", plan).isTrue();
        return plan;
    }

    protected static void awaitStatus(Rollouts rollouts, Target target, RolloutStatus status) {
        Deadline.until(
                () -> target + " is " + status + ", but " + statusOf(rollouts, target),
                () -> statusOf(rollouts, target).equals(status));
    }

    private static RolloutStatus statusOf(Rollouts rollouts, Target target) {
        return switch (target) {
            case PlanId planId -> rollouts.plan(planId).status();
            case TaskId taskId -> rollouts.task(taskId).status();
            case TenantId tenantId -> rollouts.task(tenantId).status();
        };
    }

    protected static TaskId onlyTask(Rollouts rollouts, PlanId planId) {
        return rollouts.tasks(planId).getFirst().taskId();
    }

    /** Waits until all that has happened is told. */
    protected final void awaitTold(PlanId planId) {
        Deadline.until("all told", () -> store.findUnpublished(planId, 1).isEmpty());
    }

    /** {@return what was told of the task} Each once: what a node told just before it lost the plan is told again. */
    protected final List<String> told(TaskId taskId) {
        Set<Long> numbers = new HashSet<>();
        return events.stream()
                .filter(event -> taskId.equals(event.taskId()) && numbers.add(event.sequenceId()))
                .map(event -> event.occurrence().getClass().getSimpleName())
                .toList();
    }

    protected final List<RolloutStatus> toldOfPlan(PlanId planId) {
        return events.stream()
                .filter(event -> event.taskId() == null && event.planId().equals(planId))
                .map(RolloutEvent::status)
                .toList();
    }

    /** What was told of it has the numbers from 1 to the last, and what came again is the same. */
    protected final void assertEachEventOnce(Target subject, long last) {
        Map<Long, List<RolloutEvent>> byNumber = events.stream()
                .filter(event -> subject.equals(event.taskId() == null ? event.planId() : event.taskId()))
                .collect(Collectors.groupingBy(RolloutEvent::sequenceId));
        assertThat(byNumber.keySet())
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, (int) last)
                        .mapToObj(Long::valueOf)
                        .toList());
        assertThat(byNumber.values())
                .allSatisfy(same -> assertThat(same.stream().distinct()).hasSize(1));
    }

    protected final ConfigSnapshot lastKnownGood(TenantId tenantId) {
        Snapshot good = store.findTenant(tenantId).lastKnownGood();
        return new ConfigSnapshot(good.unit(), store.<String>transact(saved -> saved.config(good.configId())));
    }
}
