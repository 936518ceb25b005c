package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.Stage;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL that crashes and comes back, again and again, while the stages of two nodes run. */
@Tag("deep")
class OutagesTests {

    private static final PlanId PLAN = PlanId.of("plan-x");
    private static final int TENANTS = 3;

    /** The long form is that of a node without settings; the deep one goes four times as fast. */
    private static final Duration HEARTBEAT =
            Depth.pick(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(2));

    private static final Duration LOST = HEARTBEAT.multipliedBy(Node.MISSED);
    private static final Duration STEP = LOST.multipliedBy(15).dividedBy(2);

    /** Of the time after which a silent node is lost: less than one, more than one, many. */
    private static final List<Duration> OUTAGES = List.of(
            LOST.multipliedBy(5).dividedBy(8),
            LOST.multipliedBy(3).dividedBy(2),
            LOST.multipliedBy(15).dividedBy(4),
            LOST.multipliedBy(3).dividedBy(2),
            LOST.multipliedBy(3).dividedBy(2),
            LOST.multipliedBy(3).dividedBy(2));

    @TempDir
    private Path folder;

    private final List<HikariDataSource> pools = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Visits visits = new Visits();
    private EmbeddedPostgres server;

    @BeforeEach
    void begin() throws IOException {
        server = serve(0);
    }

    @AfterEach
    void end() throws IOException {
        nodes.forEach(Node::close);
        pools.forEach(HikariDataSource::close);
        server.close();
    }

    /** On the data that are there, if there are any. What was committed outlives a crash, which isn't so otherwise. */
    private EmbeddedPostgres serve(int port) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPGStartupWait(Duration.ofSeconds(50))
                .setPort(port)
                .setServerConfig("synchronous_commit", "on")
                .start();
    }

    /** Stopped immediately, which is a crash for all that are connected. */
    private void crash(Duration outage) throws IOException, InterruptedException {
        long end = System.nanoTime() + outage.toNanos();
        String pid = Files.readAllLines(folder.resolve("data").resolve("postmaster.pid"))
                .getFirst();
        ProcessHandle postmaster = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        assertThat(ChildProcess.awaitEnd(new ProcessBuilder("kill", "-QUIT", pid).start()))
                .isZero();
        Deadline.until("PostgreSQL is gone", () -> !postmaster.isAlive());
        server.close();
        LockSupport.parkNanos(end - System.nanoTime()); // the length of an outage is what is tried
        server = serve(server.getPort());
    }

    private Node node(String name) {
        HikariDataSource pool = TestDatabase.pool(server.getJdbcUrl("postgres", "postgres"));
        pools.add(pool);
        JdbcRolloutStore.of(pool).createTables();
        Stage stage = Stage.named("A").step(visits.noted(name, ctx -> stay()));
        Node node = new Node(name, pool, HEARTBEAT, List.of(stage), event -> {});
        nodes.add(node);
        return node;
    }

    /** After a longer outage the node that has the plan is the last to reach its database again. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @Tag("R121")
    @Tag("R122")
    @Tag("R126")
    void noTenantIsChangedInTwoPlacesAndNoTaskFailsHoweverOftenTheDatabaseIsAway() throws Exception {
        Node first = node("n1");
        Node second = node("n2");
        first.rollouts().start(Fleet.plan(PLAN.value(), TENANTS, TENANTS));

        for (Duration outage : OUTAGES) {
            Deadline.until("all are at work", () -> visits.present() >= TENANTS || isSettled(second));
            Node driving = visits.last().equals("n1") ? first : second;
            Node other = driving == first ? second : first;
            if (outage.compareTo(LOST) < 0) {
                crash(outage);
            } else {
                long epoch = epoch(other);
                driving.dataSource().turn(SwitchedDataSource.State.FROZEN);
                crash(outage);
                Deadline.until("taken over", () -> epoch(other) > epoch || isSettled(other));
                driving.dataSource().turn(SwitchedDataSource.State.ON);
            }
            LockSupport.parkNanos(LOST.toNanos());
        }
        PlanInfo plan = second.rollouts().await(PLAN, STEP.multipliedBy(3));

        assertSoftly(softly -> {
            softly.assertThat(plan.status()).isEqualTo(PlanStatus.COMPLETED);
            softly.assertThat(visits.longestWithinANode())
                    .as("%s", visits.over())
                    .isZero();
            softly.assertThat(visits.longestBetweenNodes())
                    .as("%s", visits.over())
                    .isLessThanOrEqualTo(LOST);
        });
    }

    private static void stay() throws InterruptedException {
        assertThat(new CountDownLatch(1).await(STEP.toNanos(), TimeUnit.NANOSECONDS))
                .isFalse();
    }

    private static long epoch(Node node) {
        return node.store().findPlan(PLAN).orElseThrow().epoch();
    }

    private static boolean isSettled(Node node) {
        return node.rollouts().plan(PLAN).status().isSettled();
    }
}
