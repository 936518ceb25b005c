package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.jdbc.Fleet.Run;
import io.github.kobe.rollout.jdbc.Fleet.Told;
import io.github.kobe.rollout.jdbc.VisitLog.Absence;
import io.github.kobe.rollout.jdbc.VisitLog.Mark;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes on one PostgreSQL, with steps that take longer than a takeover. The database is away, the network of the
 * driving node loses all packets, that node is suspended, and the next one is killed. What the nodes write as their steps begin
 * and end says who was at work for a tenant.
 */
@Tag("deep")
class LongStepsTests {

    private static final List<String> NAMES = List.of("n1", "n2", "n3");
    private static final int TENANTS = RolloutNode.MAX_CONCURRENCY;

    /** The long form is that of a node without settings; the deep one goes four times as fast. */
    private static final Duration HEARTBEAT =
            Depth.pick(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(2));

    private static final Duration LOST = HEARTBEAT.multipliedBy(Node.MISSED);

    /**
     * Half of what is promised. More than that is what is left if nothing but a time-out of the network, or the end of its step,
     * ends the work of a node that has lost its plan.
     */
    private static final Duration OVERLAP = LOST.dividedBy(2);

    private static final Duration SILENCE = LOST.multipliedBy(5).dividedBy(2);
    private static final Duration STEP = LOST.multipliedBy(15).dividedBy(4);

    /** By default 15 seconds; with faster heartbeats a busy machine is as slow as ever. */
    private static final Duration TAKEN_OVER =
            Depth.pick(Duration.ofSeconds(8), Duration.ofSeconds(8), Duration.ofSeconds(15));

    /** The first is over before a node loses its plan. */
    private static final List<Duration> OUTAGES = Depth.pick(
            List.of(LOST.multipliedBy(5).dividedBy(8), LOST.multipliedBy(3).dividedBy(2)),
            List.of(LOST.multipliedBy(5).dividedBy(8), LOST.multipliedBy(3).dividedBy(2)),
            List.of(Duration.ofSeconds(5), Duration.ofSeconds(12), Duration.ofSeconds(30)));

    @TempDir
    private Path folder;

    private final long seed = Depth.seed();
    private final Random random = new Random(seed);
    private final Map<String, Wire> wires = new HashMap<>();
    private final Map<String, Process> processes = new HashMap<>();
    private final List<Absence> absences = new ArrayList<>();
    private RolloutNodes nodes;
    private VisitLog log;
    private TestDatabase database;
    private PlanStore store;

    @BeforeEach
    void begin() {
        nodes = new RolloutNodes(folder, TENANTS);
        log = RolloutNode.visits(folder);
        database = TestDatabase.Product.POSTGRESQL.open();
        store = JdbcRolloutStore.of(database.dataSource()).plans();
    }

    @AfterEach
    void end() throws Exception {
        nodes.kill();
        for (Wire wire : wires.values()) {
            wire.close();
        }
        database.close();
    }

    /** With what the docs recommend, the time-out of sockets as fast as all else. */
    private void start(String name) throws IOException {
        Wire wire = new Wire(TestDatabase.port());
        wires.put(name, wire);
        String url = wire.through(database.url()) + "&tcpKeepAlive=true&socketTimeout="
                + HEARTBEAT.multipliedBy(5).toSeconds() + "&options=-c%20idle_in_transaction_session_timeout=2s";
        processes.put(name, nodes.start(url, name, HEARTBEAT));
    }

    /** The plan is there before the nodes are, which drive it, since whoever makes it here would too. */
    private void createPlan() {
        try (Node creating = new Node("here", database.dataSource(), RolloutNode.stages(folder, "here"), event -> {})) {
            creating.rollouts().create(Fleet.plan(RolloutNode.PLAN.value(), TENANTS, TENANTS));
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @Tag("R121")
    @Tag("R122")
    @Tag("R125")
    @Tag("R126")
    void whateverFailsNoTenantIsChangedInTwoPlacesAndNoTaskFails() throws Exception {
        createPlan();
        Files.createFile(RolloutNode.held(folder));
        for (String name : NAMES) {
            start(name);
        }
        nodes.await(
                () -> "all are up",
                () -> nodes.up().size() == NAMES.size() && log.open().size() == TENANTS);
        Files.writeString(RolloutNode.step(folder), STEP.toString());
        long held = System.nanoTime();
        Files.delete(RolloutNode.held(folder));
        Deadline.until(
                "the first long steps",
                () -> log.open().stream().filter(mark -> mark.at() > held).count() == TENANTS);

        LockSupport.parkNanos(STEP.minus(OUTAGES.getFirst().dividedBy(2)).toNanos()); // the steps end in the outage
        beWithoutDatabase(OUTAGES.getFirst());
        pause();
        losePackets(); // while the steps have just begun: none ends by itself before a node that still works shows
        pause();
        for (Duration outage : OUTAGES.subList(1, OUTAGES.size())) {
            beWithoutDatabase(outage);
            pause();
        }
        suspend();
        pause();
        String killed = kill();
        List<TaskRecord> recovered = store.findByPlanId(RolloutNode.PLAN);
        for (String name : NAMES) {
            if (!name.equals(killed)) {
                nodes.awaitEnd(processes.get(name));
            }
        }

        report(recovered);
        assertThat(recovered)
                .as("tasks that count the one that was killed, and no other")
                .allSatisfy(task -> assertThat(task.lostWith()).hasSize(1));
        assertWell();
    }

    private void beWithoutDatabase(Duration outage) {
        long began = System.nanoTime();
        wires.values().forEach(wire -> wire.turn(Wire.State.CUT));
        park(began, outage);
        long back = System.nanoTime();
        wires.values().forEach(wire -> wire.turn(Wire.State.WHOLE));
        Deadline.until("all are at work again", () -> log.open().size() == TENANTS);
        long first = log.open().stream().mapToLong(Mark::at).min().orElseThrow();
        say(
                "outage of %s s: %s",
                seconds(outage.toNanos()),
                first < began ? "no step ended" : "all at work " + seconds(first - back) + " s after it");
        awaitNoneLost();
    }

    private void losePackets() {
        String driving = driving();
        long began = System.nanoTime();
        wires.get(driving).turn(Wire.State.SILENT);
        awaitTakenOver("packets lost", driving, began);
        park(began, SILENCE);
        wires.get(driving).turn(Wire.State.WHOLE);
        awaitNoneLost();
    }

    private void suspend() throws IOException, InterruptedException {
        String driving = driving();
        long began = System.nanoTime();
        RolloutNodes.signal("STOP", processes.get(driving));
        long stopped = System.nanoTime();
        awaitTakenOver("suspended", driving, began);
        park(began, SILENCE);
        absences.add(new Absence(driving, stopped, System.nanoTime()));
        RolloutNodes.signal("CONT", processes.get(driving));
        awaitNoneLost();
    }

    private String kill() throws InterruptedException {
        String driving = driving();
        long began = System.nanoTime();
        ChildProcess.kill(processes.get(driving));
        absences.add(new Absence(driving, System.nanoTime(), Long.MAX_VALUE));
        awaitTakenOver("killed", driving, began);
        return driving;
    }

    private String driving() {
        AtomicReference<List<Mark>> open = new AtomicReference<>();
        Deadline.until(
                "one is at work",
                () -> { // between two steps none is
                    open.set(log.open());
                    return !open.get().isEmpty();
                });
        return open.get().stream()
                .max(Comparator.comparingLong(Mark::at))
                .orElseThrow()
                .node();
    }

    private void awaitTakenOver(String what, String from, long began) {
        Predicate<Mark> elsewhere = mark -> mark.at() > began && !mark.node().equals(from);
        Deadline.until(
                what + ": taken over",
                () -> log.open().stream().filter(elsewhere).count() == TENANTS);
        long first =
                log.open().stream().filter(elsewhere).mapToLong(Mark::at).min().orElseThrow();
        Duration takeover = Duration.ofNanos(first - began);
        say("%s: next step after %s s", what, seconds(takeover.toNanos()));
        assertThat(takeover).as("-Dseed=%s: %s", seed, what).isLessThanOrEqualTo(TAKEN_OVER);
    }

    /** Whoever was away and is back has not been lost. */
    private void awaitNoneLost() {
        Deadline.until(
                "no node counts as lost",
                () -> store.findByPlanId(RolloutNode.PLAN).stream()
                        .allMatch(task -> task.lostWith().isEmpty()));
    }

    private void pause() {
        LockSupport.parkNanos(random.nextLong(STEP.toNanos() / 5));
    }

    private static void park(long since, Duration time) {
        LockSupport.parkNanos(time.toNanos() - (System.nanoTime() - since));
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f", nanos / 1e9);
    }

    private static void say(String what, Object... values) {
        System.out.printf("LONG STEPS " + what + "%n", values);
    }

    private void assertWell() {
        List<Run> runs =
                log.marks().stream().filter(Mark::begins).map(Mark::run).toList();
        Fleet.assertInOrder(runs, Fleet.STAGES, TENANTS * (OUTAGES.size() + 3));
        Fleet.assertWithoutGaps(told());
        Visits visits = log.visits(absences);
        assertSoftly(softly -> {
            softly.assertThat(visits.longestWithinANode())
                    .as("-Dseed=%s %s", seed, visits.over())
                    .isZero();
            softly.assertThat(visits.longestBetweenNodes())
                    .as("-Dseed=%s %s", seed, visits.over())
                    .isLessThanOrEqualTo(OVERLAP);
            softly.assertThat(told()).extracting(Told::what).doesNotContain("StageFailed", "TaskFailed");
            softly.assertThat(store.findPlan(RolloutNode.PLAN).orElseThrow().status())
                    .isEqualTo(PlanStatus.COMPLETED);
            softly.assertThat(store.findByPlanId(RolloutNode.PLAN))
                    .hasSize(TENANTS)
                    .allSatisfy(task -> {
                        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
                        assertThat(task.attempt()).isEqualTo(1);
                    });
        });
    }

    private List<Told> told() {
        return RolloutNodes.lines(RolloutNode.told(folder)).stream()
                .map(Told::parse)
                .toList();
    }

    private void report(List<TaskRecord> recovered) {
        Visits visits = log.visits(absences);
        visits.over().stream()
                .map(Visits.Visit::tenant)
                .distinct()
                .sorted()
                .forEach(tenant -> say(
                        "%s: overlap of two processes %s s, within one %s s",
                        tenant,
                        seconds(visits.to(tenant).longestBetweenNodes().toNanos()),
                        seconds(visits.to(tenant).longestWithinANode().toNanos())));
        List<Told> told = told().stream().distinct().toList();
        for (String what : List.of("TaskRecovered", "StageFailed", "TaskFailed", "TaskCompleted")) {
            say(
                    "%s: %s",
                    what, told.stream().filter(each -> each.what().equals(what)).count());
        }
        say(
                "nodes that count as lost with a task, after the kill: %s",
                recovered.stream().map(task -> task.lostWith().size()).toList());
        say(
                "steps: %s begun, %s needed",
                log.marks().stream().filter(Mark::begins).count(), TENANTS * Fleet.STAGES.size());
    }
}
