package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutException;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.Step;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.WaveSize;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.jdbc.Fleet.Run;
import io.github.kobe.rollout.jdbc.Fleet.Told;
import io.github.kobe.rollout.jdbc.SwitchedDataSource.State;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Two nodes on one database, of which one dies, stands still, or is cut off from it. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class NodesTests {

    /** As long as a test has, nearly: a takeover takes seconds, and more of them on a busy machine. */
    private static final Duration TAKEN_OVER = Duration.ofSeconds(50);

    private static final int RACES = Depth.pick(5, 10, 100);
    private static final PlanId PLAN = PlanId.of("plan-x");

    @Parameter
    private TestDatabase.Product product;

    private Duration heartbeat = Node.HEARTBEAT;

    private TestDatabase database;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Run> runs = new CopyOnWriteArrayList<>();
    private final List<Told> told = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();

    @BeforeEach
    void openDatabase() {
        database = product.open();
    }

    @AfterEach
    void closeAll() throws InterruptedException {
        List<Thread> closing = nodes.stream()
                .map(node -> Thread.ofVirtual().start(node::close))
                .toList();
        for (Thread thread : closing) {
            Deadline.join(thread);
        }
        database.close();
    }

    private Node node(String name, Step within) {
        return node(name, within, event -> {});
    }

    private Node node(String name, Step within, Consumer<RolloutEvent> sink) {
        Node node = new Node(name, database.dataSource(), heartbeat, stages(within), event -> {
            told.add(Told.of(event));
            sink.accept(event);
        });
        nodes.add(node);
        return node;
    }

    /** Each notes that it runs, and fails as often as was set if it is B, before it comes to what the test does within. */
    private List<Stage> stages(Step within) {
        return Fleet.STAGES.stream()
                .map(name -> Stage.named(name)
                        .step(ctx -> runs.add(Run.of(ctx)))
                        .step(ctx -> {
                            if (name.equals("B") && failures.getAndDecrement() > 0) {
                                throw new IllegalStateException("broken");
                            }
                        })
                        .step(within)
                        .rollback(ctx -> runs.add(Run.of(ctx)))
                        .rollback(within))
                .toList();
    }

    private static PlanInfo settled(Node node) throws InterruptedException {
        PlanInfo plan = node.rollouts().await(PLAN, TAKEN_OVER);
        assertThat(plan.status().isSettled()).as("settled: %s", plan).isTrue();
        assertThat(node.store().findPlan(PLAN).orElseThrow().drive().phase())
                .as("all is told")
                .isEqualTo(DriveState.Phase.OVER);
        return plan;
    }

    private static void start(Node node, int tenants) {
        node.rollouts().start(Fleet.plan(PLAN.value(), tenants, 10));
    }

    /** All that is recorded was told, once or again under the same number. */
    private void assertAllTold(Node node) {
        Map<String, Long> last = Fleet.assertWithoutGaps(told);
        node.store()
                .findByPlanId(PLAN)
                .forEach(task -> assertThat(last).containsEntry(task.id().value(), task.sequence()));
        assertThat(last)
                .containsEntry(
                        PLAN.value(), node.store().findPlan(PLAN).orElseThrow().sequence());
    }

    /** What is played up to the death, and after it. */
    enum Play {
        FORWARD,
        RETRY,
        ROLLBACK;

        private List<String> stages() {
            return switch (this) {
                case FORWARD -> List.of("A", "B", "C");
                case RETRY -> List.of("A", "B", "B", "C");
                case ROLLBACK -> List.of("A", "B", "C", "undo C", "undo B", "undo A");
            };
        }
    }

    private void begin(Node node, Play play) throws InterruptedException {
        failures.set(play == Play.RETRY ? 1 : 0);
        start(node, 1);
        if (play != Play.FORWARD) {
            settled(node);
        }
        switch (play) {
            case FORWARD -> {}
            case RETRY -> node.rollouts().retry(PLAN, true);
            case ROLLBACK -> node.rollouts().rollback(PLAN);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("R121")
    @Tag("R125")
    @Tag("R126")
    void aNodeThatDiesInAStageIsReplacedAndTheStageRunsAgainWithTheSameKey(Play play) throws Exception {
        AtomicBoolean killed = new AtomicBoolean();
        List<Node> doomed = new CopyOnWriteArrayList<>();
        int fatal = play == Play.FORWARD ? 1 : 2;
        Node first = node("n1", ctx -> {
            if (ctx.stageName().equals("B") && ctx.attempt() == fatal) {
                killed.set(true);
                doomed.getFirst().kill();
            }
        });
        doomed.add(first);
        begin(first, play);
        Deadline.until("killed", killed::get);

        Node second = node("n2", ctx -> {});
        PlanInfo plan = settled(second);

        assertThat(plan.status()).isEqualTo(play == Play.ROLLBACK ? PlanStatus.ROLLED_BACK : PlanStatus.COMPLETED);
        Fleet.assertInOrder(runs, play.stages(), 1);
        assertThat(runs).hasSize(play.stages().size() + 1);
        assertAllTold(second);
        assertThat(second.events())
                .extracting(RolloutEvent::occurrence)
                .contains(new Occurrence.TaskRecovered("n2", "B"));
    }

    @Test
    @Tag("R83")
    @Tag("R122")
    void whatWasToldAndNotMarkedIsToldAgainUnderTheSameNumber() throws Exception {
        List<Node> doomed = new CopyOnWriteArrayList<>();
        AtomicBoolean killed = new AtomicBoolean();
        Node first = node("n1", ctx -> {}, event -> {
            if (event.occurrence() instanceof Occurrence.StageStarted) {
                doomed.getFirst().kill();
                killed.set(true);
            }
        });
        doomed.add(first);
        start(first, 1);
        Deadline.until("killed", killed::get);

        Node second = node("n2", ctx -> {});
        assertThat(settled(second).status()).isEqualTo(PlanStatus.COMPLETED);

        assertAllTold(second);
        assertThat(second.events()).contains(first.events().getLast());
    }

    @Test
    @Tag("R121")
    void whoStoodStillForTooLongWritesNothingMore() throws Exception {
        Gate gate = new Gate();
        Node first = node("n1", ctx -> {
            if (ctx.stageName().equals("B") && gate.arrived() == 0) {
                gate.passStubbornly();
            }
        });
        start(first, 1);
        gate.awaitArrived(1);
        first.dataSource().turn(State.FROZEN);

        Node second = node("n2", ctx -> {});
        assertThat(settled(second).status()).isEqualTo(PlanStatus.COMPLETED);
        var after = second.store().findByPlanId(PLAN);
        int events = told.size();
        gate.open();
        first.dataSource().turn(State.ON);
        Deadline.until("nothing runs there", () -> first.store().findPlan(PLAN).isPresent() && !first.isBusy());

        assertThat(second.store().findByPlanId(PLAN)).isEqualTo(after);
        assertThat(told).hasSize(events);
        assertAllTold(second);
        assertThat(runs).hasSize(4);
        Fleet.assertInOrder(runs, Fleet.STAGES, 1);
    }

    @Test
    @Tag("R121")
    @Tag("R126")
    void whoHearsNothingOfItsDatabaseEndsItsStageWithoutIt() throws Exception {
        Visits visits = new Visits();
        Gate gate = new Gate();
        Node first = node("n1", visits.noted("n1", ctx -> gate.pass()));
        start(first, 1);
        gate.awaitArrived(1);
        first.dataSource().turn(State.FROZEN);
        Deadline.until("the stage has ended", () -> !visits.over().isEmpty());

        gate.open();
        Node second = node("n2", visits.noted("n2", ctx -> {}));
        assertThat(settled(second).status()).isEqualTo(PlanStatus.COMPLETED);
        first.dataSource().turn(State.ON);

        assertThat(visits.longestBetweenNodes()).isLessThan(heartbeat.multipliedBy(Node.MISSED));
        Fleet.assertInOrder(runs, Fleet.STAGES, 1);
    }

    /** The node finds its own heartbeat to be old, as after an outage of the database. */
    @Test
    @Tag("R121")
    @Tag("R126")
    void whoTakesItsOwnPlanOverBeginsNoStageBesideOneThatHasNotEnded() throws Exception {
        Visits visits = new Visits();
        Gate gate = new Gate();
        Gate stubborn = new Gate();
        Node node = node("n1", visits.noted("n1", ctx -> {
            try {
                gate.pass();
            } catch (InterruptedException e) {
                stubborn.passStubbornly();
            }
        }));
        start(node, 1);
        gate.awaitArrived(1);
        long before = node.store().findPlan(PLAN).orElseThrow().epoch();
        JdbcTemplate tables = new JdbcTemplate(database.dataSource());
        Deadline.until("taken over", () -> {
            tables.update("update rollout_execution set last_heartbeat = last_heartbeat - interval '1' hour"
                    + " where picked");
            return node.store().findPlan(PLAN).orElseThrow().epoch() > before;
        });
        stubborn.awaitArrived(1);
        gate.open();
        stubborn.open();

        assertThat(settled(node).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(visits.longestWithinANode()).isZero();
        assertThat(told).extracting(Told::what).doesNotContain("TaskRecovered");
        Fleet.assertInOrder(runs, Fleet.STAGES, 1);
    }

    @Test
    @Tag("R120")
    void ofTwoThatStartAPlanOneDoes() throws Exception {
        // Nobody dies here, and on a busy machine nobody is to be taken for dead.
        heartbeat = Deadline.LONG;
        Node first = node("n1", ctx -> {});
        Node second = node("n2", ctx -> {});
        for (int round = 0; round < RACES; round++) {
            String id = "plan-" + round;
            List<Throwable> refusals = new CopyOnWriteArrayList<>();
            race(
                    refusals,
                    () -> first.rollouts().create(Fleet.plan(id, 2, 10)),
                    () -> second.rollouts().create(Fleet.plan(id, 2, 10)));
            assertThat(refusals).as("it is the same plan").isEmpty();
            race(
                    refusals,
                    () -> first.rollouts().start(PlanId.of(id)),
                    () -> second.rollouts().start(PlanId.of(id)));

            assertThat(refusals).hasSize(1).allSatisfy(e -> assertThat(e).isInstanceOf(RolloutException.class));
            assertThat(second.rollouts().await(PlanId.of(id), Deadline.LONG).status())
                    .isEqualTo(PlanStatus.COMPLETED);
        }
        assertThat(runs).doesNotHaveDuplicates().hasSize(RACES * 2 * Fleet.STAGES.size());
    }

    @Test
    @Tag("R120")
    @Tag("R163")
    void ofTwoThatCreateAndStartTheSamePlanOneDoesAndBothGetIt() throws Exception {
        heartbeat = Deadline.LONG;
        Node first = node("n1", ctx -> {});
        Node second = node("n2", ctx -> {});
        for (int round = 0; round < RACES; round++) {
            String id = "plan-" + round;
            List<Throwable> refusals = new CopyOnWriteArrayList<>();
            race(
                    refusals,
                    () -> first.rollouts().start(Fleet.plan(id, 2, 10)),
                    () -> second.rollouts().start(Fleet.plan(id, 2, 10)));

            assertThat(refusals).isEmpty();
            assertThat(second.rollouts().await(PlanId.of(id), Deadline.LONG).status())
                    .isEqualTo(PlanStatus.COMPLETED);
        }
        assertThat(runs).doesNotHaveDuplicates().hasSize(RACES * 2 * Fleet.STAGES.size());
    }

    private static void race(List<Throwable> refusals, Runnable... runners) throws InterruptedException {
        Gate gate = new Gate();
        List<Thread> threads = Stream.of(runners)
                .map(runner -> Thread.ofVirtual().start(() -> {
                    try {
                        gate.pass();
                        runner.run();
                    } catch (RuntimeException | InterruptedException e) {
                        refusals.add(e);
                    }
                }))
                .toList();
        gate.awaitArrived(runners.length);
        gate.open();
        for (Thread thread : threads) {
            assertThat(thread.join(Deadline.LONG)).isTrue();
        }
    }

    /** The wish comes from the other node at about the time at which the drive finds nothing more to do. */
    @Test
    @Tag("R120")
    @Tag("R123")
    void aWishThatComesAsADriveEndsIsNotLost() throws Exception {
        Node first = node("n1", ctx -> {});
        Node second = node("n2", ctx -> {});
        for (int round = 0; round < Depth.pick(8, 15, 300); round++) {
            PlanId planId = PlanId.of("plan-" + round);
            first.rollouts().start(Fleet.plan(planId.value(), 1, 1));
            Deadline.until("completed", () -> second.rollouts().plan(planId).status() == PlanStatus.COMPLETED);
            LockSupport.parkNanos(Duration.ofMillis(round % 10).toNanos());
            second.rollouts().rollback(planId);
            assertThat(first.rollouts().await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        }
    }

    private static void startInTwoWaves(Node node) {
        RolloutPlan plan = Fleet.plan(PLAN.value(), 2, 10);
        node.rollouts().start(Fleet.inWaves(plan, WaveSize.tenants(1), Duration.ZERO, Duration.ofHours(1)));
    }

    @Test
    @Tag("R121")
    @Tag("R138")
    void whatWaitsAtAGateGoesOnWhereItIsApproved() throws Exception {
        Node first = node("n1", ctx -> {});
        Node second = node("n2", ctx -> {});
        startInTwoWaves(first);
        Deadline.until("no drive waits at the gate", () -> {
            PlanRecord plan = second.store().findPlan(PLAN).orElseThrow();
            return plan.progress().gate() != null && plan.drive().phase() == DriveState.Phase.DUE;
        });
        first.kill();

        second.rollouts().by("bob").approve(PLAN, 1);

        assertThat(settled(second).status()).isEqualTo(PlanStatus.COMPLETED);
        assertAllTold(second);
        Fleet.assertInOrder(runs, Fleet.STAGES, 0);
        assertThat(second.events())
                .extracting(RolloutEvent::occurrence)
                .contains(new Occurrence.GateApproved(1, "bob"));
    }

    @Test
    @Tag("R120")
    @Tag("R138")
    void anApprovalReachesADriveOfAnotherNode() throws Exception {
        Gate telling = new Gate();
        Node first = node("n1", ctx -> {}, event -> {
            if (event.occurrence() instanceof Occurrence.GateOpened) {
                telling.passStubbornly();
            }
        });
        startInTwoWaves(first);
        telling.awaitArrived(1);
        Node second = node("n2", ctx -> {});
        PlanRecord before = second.store().findPlan(PLAN).orElseThrow();
        assertThat(before.drive().phase()).isEqualTo(DriveState.Phase.RUNNING);

        assertThat(second.rollouts().approve(PLAN, 1).wave()).isEqualTo(2);
        telling.open();

        assertThat(settled(first).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(first.store().findPlan(PLAN).orElseThrow().drive().number())
                .isEqualTo(before.drive().number());
        assertAllTold(first);
        Fleet.assertInOrder(runs, Fleet.STAGES, 0);
    }

    /** Where the database is a server, so long that drives give it up. */
    private Duration outage() {
        return Duration.ofSeconds(product == TestDatabase.Product.H2 ? 2 : 10);
    }

    @Test
    @Tag("R122")
    void aDatabaseThatIsOutForAWhileFailsNothing() throws Exception {
        Gate gate = new Gate();
        Step waits = ctx -> {
            if (ctx.stageName().equals("A")) {
                gate.pass();
            }
        };
        Node first = node("n1", waits);
        Node second = node("n2", waits);
        start(first, 4);
        gate.awaitArrived(1);

        nodes.forEach(node -> node.dataSource().turn(State.OUT));
        gate.open();
        LockSupport.parkNanos(outage().toNanos());
        nodes.forEach(node -> node.dataSource().turn(State.ON));

        assertThat(settled(second).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(second.rollouts().tasks(PLAN))
                .extracting(TaskInfo::retryCount)
                .containsOnly(0);
        Fleet.assertInOrder(runs, Fleet.STAGES, 4 * Fleet.STAGES.size());
        assertAllTold(second);
    }
}
