package io.github.kobe.rollout.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.ConflictPolicy;
import io.github.kobe.rollout.EndpointPolicy;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RollbackHealthVerifier;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutModel;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.Target;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.WaveCheck;
import io.github.kobe.rollout.WaveGate;
import io.github.kobe.rollout.WaveSize;
import io.github.kobe.rollout.Wish;
import io.github.kobe.rollout.internal.memory.MemoryStore;
import io.github.kobe.rollout.internal.rules.Boundaries;
import io.github.kobe.rollout.internal.rules.Boundaries.Next;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Histories of operations and boundaries in random order, played without threads, and after each step compared with a {@link
 * RolloutModel}, which knows the contract's words and none of the code.
 */
class RandomHistoriesTests {

    private static final int HISTORIES = Depth.pick(250, 2_500, 100_000);
    private static final int STEPS = 35;
    private static final int MOST_TASKS = 7;
    private static final List<String> STAGES = List.of("A", "B", "C");
    private static final List<Wish.Kind> WISHES = List.of(Wish.Kind.values());

    /** It has much to do, and others may do so beside it. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @Tag("R33")
    @Tag("R82")
    @Tag("R116")
    @Tag("R143")
    @Tag("R144")
    void everyHistoryIsThatOfTheModel() {
        long seed = Depth.seed();
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            for (int history = 0; history < HISTORIES; history++) {
                long own = seed + history;
                try {
                    new History(executor, new Random(own)).play();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("-Dseed=" + own + ": " + e.getMessage(), e);
                }
            }
        }
    }

    private static final class History {

        private final Random random;
        private Instant now = Samples.NOW;
        private final PlanStore store = new MemoryStore(() -> now);
        private final RolloutEngine engine;
        private final Operations operations;
        private final RolloutModel model;
        private final PlanId planId;

        /** That of no drive yet. */
        private final Lease lease;

        private final List<TaskId> ids;
        private final int retries;
        private final List<String> done = new ArrayList<>();

        History(GroupExecutor executor, Random random) {
            this.random = random;
            List<Stage> stages = STAGES.stream().map(Stage::named).toList();
            engine = new RolloutEngine(
                    executor,
                    new RolloutOptions(
                            store,
                            (task, change, settings, health) -> stages,
                            RollbackHealthVerifier.alwaysTrue(),
                            url -> Map.of(),
                            EndpointPolicy.allowAll(),
                            null,
                            null,
                            (task, run) -> run,
                            event -> {},
                            MetricsRegistry.noop(),
                            Map.of(),
                            10,
                            ConflictPolicy.REJECT,
                            "node",
                            Duration.ofSeconds(10),
                            Duration.ZERO,
                            Duration.ZERO,
                            null,
                            (plan, wave) -> WaveCheck.Verdict.PASS,
                            Duration.ofSeconds(10),
                            Duration.ofMinutes(10),
                            Duration.ofSeconds(1)));
            operations = new Operations(engine);
            int tasks = 1 + random.nextInt(5);
            RolloutPlan.Builder plan = RolloutPlan.named("plan-x");
            List<Boolean> snapshots = new ArrayList<>();
            retries = random.nextInt(3);
            for (int index = 0; index < tasks; index++) {
                boolean hasSnapshot = random.nextInt(5) > 0;
                snapshots.add(hasSnapshot);
                plan.add((hasSnapshot ? Samples.change("t" + index) : Samples.changeWithoutSnapshot("t" + index))
                        .maxRetry(retries));
            }
            model = new RolloutModel(snapshots, STAGES.size(), retries);
            inWaves(plan);
            planId = new Creation(engine, plan.build(), "tester").create().id();
            lease = new Lease(engine, planId, () -> {});
            ids = new ArrayList<>(
                    store.findByPlanId(planId).stream().map(TaskRecord::id).toList());
        }

        private void inWaves(RolloutPlan.Builder plan) {
            if (random.nextBoolean()) {
                boolean inPercent = random.nextInt(3) == 0;
                boolean rollsBack = random.nextInt(3) == 0;
                int most = inPercent ? 1 + random.nextInt(100) : random.nextInt(3);
                model.maxFailures(most, inPercent, rollsBack);
                plan.maxFailures(new WaveSize(most, inPercent))
                        .onTooManyFailures(rollsBack ? FailureReaction.ROLLBACK : FailureReaction.PAUSE);
            }
            if (random.nextBoolean()) {
                int first = 1 + random.nextInt(2);
                int second = 1 + random.nextInt(3);
                int bake = random.nextInt(3);
                int timeout = random.nextInt(4);
                int check = Math.max(0, random.nextInt(5) - 1);
                model.waves(first, second, bake, timeout, check);
                if (check > 0) {
                    plan.checked(Duration.ofMinutes(check));
                }
                plan.waves(first, second).bakeTime(Duration.ofMinutes(bake));
                if (timeout > 0) {
                    plan.approval(Duration.ofMinutes(timeout));
                }
            }
        }

        void play() {
            for (int step = 0; step < STEPS; step++) {
                int what = random.nextInt(15);
                if (step == 0 && random.nextInt(10) > 0) {
                    compare("start", model::start, () -> operations.start(planId, "ann"));
                } else if (what < 3) {
                    wish();
                } else if (what == 3 && random.nextInt(4) == 0) {
                    compare("giveUp", model::giveUp, () -> operations.giveUp(planId, "ann"));
                } else if (what == 10) {
                    int wave = 1 + random.nextInt(2);
                    compare(
                            "approve " + wave,
                            () -> model.approve(wave),
                            () -> operations.approve(planId, wave, "ann"));
                } else if (what == 14) {
                    add();
                } else if (what == 13) {
                    compare("rollbackFailed", model::rollBackFailed, () -> operations.rollbackFailed(planId, "ann"));
                } else if (what == 12) {
                    verdict(1 + random.nextInt(2), random.nextInt(3));
                } else if (what == 11) {
                    pass(random.nextInt(3));
                } else {
                    boundary(random.nextInt(ids.size()));
                }
                check();
            }
            replay();
        }

        private void add() {
            if (ids.size() < MOST_TASKS) {
                String tenant = "t" + ids.size();
                boolean hasSnapshot = random.nextBoolean();
                TenantChange change = hasSnapshot ? Samples.change(tenant) : Samples.changeWithoutSnapshot(tenant);
                compare(
                        "add " + tenant,
                        () -> model.add(hasSnapshot),
                        () -> operations.add(planId, List.of(change.maxRetry(retries)), "ann"));
                ids.clear();
                store.findByPlanId(planId).forEach(task -> ids.add(task.id()));
            }
        }

        /** A check has answered, perhaps for a gate that was there before. */
        private void verdict(int wave, int kind) {
            WaveCheck.Verdict verdict = new WaveCheck.Verdict(
                    List.of(WaveCheck.Verdict.Kind.values()).get(kind), "");
            WaveGate gate = store.findPlan(planId).orElseThrow().progress().gate();
            Instant latest = gate == null ? now : gate.since();
            Instant since = random.nextBoolean() ? latest : latest.minus(Duration.ofMinutes(1));
            int opened = (int) Duration.between(Samples.NOW, since).toMinutes();
            done.add(verdict + " after " + wave + ", of " + opened);
            model.check(
                    wave,
                    opened,
                    verdict.kind() == WaveCheck.Verdict.Kind.PASS,
                    verdict.kind() == WaveCheck.Verdict.Kind.STOP);
            engine.transact(ledger -> {
                ledger.open(planId);
                ledger.check(wave, since, verdict);
                return verdict;
            });
        }

        /** Time passes, and then a drive comes. */
        private void pass(int minutes) {
            done.add(minutes + " minutes");
            now = now.plus(Duration.ofMinutes(minutes));
            model.pass(minutes);
            engine.transact(ledger -> ledger.open(planId));
        }

        private void wish() {
            Wish wish = new Wish(WISHES.get(random.nextInt(WISHES.size())), "ann", random.nextBoolean());
            int index = random.nextInt(ids.size() + 1);
            if (index == ids.size()) {
                compare(
                        wish + " of the plan",
                        () -> model.wishOfPlan(wish.kind().name(), wish.fromCheckpoint()),
                        () -> operations.want(planId, wish));
            } else {
                Target target = random.nextBoolean() ? ids.get(index) : TenantId.of("t" + index);
                compare(
                        wish + " of " + index,
                        () -> model.wish(index, wish.kind().name(), wish.fromCheckpoint()),
                        () -> operations.want(target, wish));
            }
        }

        /** What the task's thread would do next. */
        private void boundary(int index) {
            int outcome = random.nextInt(4);
            TaskRecord task = store.findById(ids.get(index)).orElseThrow();
            done.add("boundary of " + index + ", " + outcome);
            if (model.hasThread(index) && !model.isBeginning(index)) {
                model.pass(index, outcome);
                if (task.status() == TaskStatus.RUNNING) {
                    run(task, outcome);
                } else {
                    undo(task, outcome);
                }
            } else {
                model.begin(index);
                pass(task, Boundaries::begin);
            }
        }

        private void run(TaskRecord task, int outcome) {
            if (outcome == 0) {
                pass(task, (ledger, now) -> Boundaries.failed(ledger, now, new FailureInfo("X", "x"), true));
            } else {
                engine.passed(lease, task, new TaskCommand.PassStage(outcome == 1, false, Map.of()));
            }
        }

        private void undo(TaskRecord task, int outcome) {
            List<Integer> left = task.toUndo();
            if (left.isEmpty() || outcome == 3) {
                FailureInfo unhealthy = outcome == 0 ? new FailureInfo("X", "x") : null;
                pass(task, (ledger, now) -> Boundaries.rolledBack(ledger, now, unhealthy));
            } else {
                FailureInfo missed = outcome == 0 ? new FailureInfo("X", "x") : null;
                pass(task, (ledger, now) -> Boundaries.undone(ledger, now, left.getFirst(), missed));
            }
        }

        private void pass(TaskRecord task, RolloutEngine.Boundary boundary) {
            Next next = engine.withPlan(lease, task.id(), boundary);
            assertThat(next.task().id()).isEqualTo(task.id());
        }

        private void compare(String what, Runnable expected, Runnable actual) {
            done.add(what);
            assertThat(refuses(actual)).as("refused: %s", done).isEqualTo(refuses(expected));
        }

        private static boolean refuses(Runnable action) {
            try {
                action.run();
                return false;
            } catch (TaskOperationException | IllegalStateException e) {
                return true;
            }
        }

        /** In words, since most of the time of this test would go into assertions. */
        private void check() {
            PlanRecord plan = store.findPlan(planId).orElseThrow();
            List<TaskRecord> tasks = store.findByPlanId(planId);
            WaveGate gate = plan.progress().gate();
            StringBuilder actual = new StringBuilder(plan.status().name())
                    .append(plan.progress().current())
                    .append(plan.pauseAsked() ? "!" : "")
                    .append(gate == null ? "" : (gate.approvedBy() == null ? "?" : "=") + gate.isChecked());
            StringBuilder expected = new StringBuilder(model.planStatus()).append(model.wave());
            int counted = 0;
            for (int index = 0; index < tasks.size(); index++) {
                TaskRecord task = tasks.get(index);
                boolean isHeld = store.findTenant(task.tenantId()).isHeldBy(task.id());
                boolean hasEnd = task.endedAt() != null;
                actual.append(words(task.status().name(), task.stagesDone(), isHeld));
                expected.append(words(model.statuses().get(index), model.stagesDone(index), model.hasClaim(index)));
                counted += plan.count(task.status());
                if (hasEnd != task.status().isEnd()) {
                    throw new AssertionError("the time of the end of " + task + " after " + done);
                }
            }
            if (!actual.toString().contentEquals(expected)) {
                throw new AssertionError(actual + " instead of " + expected + " after " + done);
            }
            int squares = plan.tally().values().stream()
                    .mapToInt(count -> count * count)
                    .sum();
            if (counted != squares || plan.size() != tasks.size()) {
                throw new AssertionError("the tally " + plan.tally() + " after " + done);
            }
        }

        private static String words(String status, int stagesDone, boolean hasTenant) {
            return " " + status + stagesDone + (hasTenant ? "+" : "-");
        }

        /** The events alone tell the same story, numbered without a gap. */
        private void replay() {
            Map<Object, List<RolloutEvent>> bySubject = new HashMap<>();
            for (RolloutEvent event : store.findUnpublished(planId, Integer.MAX_VALUE)) {
                bySubject
                        .computeIfAbsent(event.taskId() == null ? planId : event.taskId(), id -> new ArrayList<>())
                        .add(event);
            }
            for (List<RolloutEvent> events : bySubject.values()) {
                assertThat(events.stream().map(RolloutEvent::sequenceId))
                        .isEqualTo(IntStream.rangeClosed(1, events.size())
                                .mapToObj(Long::valueOf)
                                .toList());
            }
            bySubject.forEach((subject, events) -> RolloutModel.checkEdges(
                    subject.equals(planId),
                    events.stream().map(event -> event.status().name()).toList()));
        }
    }
}
