package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.jdbc.Fleet.Run;
import io.github.kobe.rollout.jdbc.Fleet.Told;
import io.github.kobe.rollout.redis.TestRedis;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Depth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Processes that are killed, or stopped and woken up again. Each test starts several, which takes long beside other work. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class KilledNodesTests {

    private static final int KILLS = Depth.pick(1, 3, 20);
    private static final int TENANTS = Depth.pick(8, 12, 100);
    private static final int RUNS = TENANTS * Fleet.STAGES.size();

    @TempDir
    private Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private RolloutNodes nodes;

    @BeforeEach
    void begin() {
        nodes = new RolloutNodes(folder, TENANTS);
    }

    @AfterEach
    void endAll() throws Exception {
        nodes.kill();
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** A database that outlives the processes that use it. */
    private String url(TestDatabase.Product product) {
        if (product == TestDatabase.Product.H2) {
            return "jdbc:h2:file:" + folder.resolve("rollouts") + ";WRITE_DELAY=0;LOCK_TIMEOUT=20000";
        }
        TestDatabase database = product.open();
        opened.add(database);
        return database.url() + "&options=-c%20idle_in_transaction_session_timeout=2s";
    }

    private List<Run> runs() {
        return RolloutNodes.lines(RolloutNode.runs(folder)).stream()
                .filter(line -> line.chars().filter(each -> each == ' ').count() == 4)
                .map(Run::parse)
                .toList();
    }

    private void awaitRuns(int count) {
        nodes.await(() -> count + " runs, but " + runs().size(), () -> runs().size() >= count);
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
    @Tag("R57")
    @Tag("R82")
    @Tag("R121")
    @Tag("R125")
    @Tag("R138")
    void whateverIsKilledThePlanIsCompletedAndNothingIsRecordedTwice(TestDatabase.Product product) throws Exception {
        killAgainAndAgain(product, KILLS);
    }

    @Test
    @Tag("deep")
    @Tag("R57")
    @Tag("R61")
    @Tag("R125")
    void withItsCheckpointsInRedisThePlanIsCompletedToo() throws Exception {
        TestRedis redis = TestRedis.open();
        opened.add(redis);
        Files.writeString(RolloutNode.redis(folder), String.valueOf(redis.port()));

        int kills = Depth.pick(1, 1, 20);
        killAgainAndAgain(TestDatabase.Product.H2, kills);

        assertThat(redis.template().keys("*"))
                .as("those of tasks whose node was killed after their end, and before their checkpoint was removed")
                .hasSizeLessThanOrEqualTo(kills * RolloutNode.MAX_CONCURRENCY);
    }

    private void killAgainAndAgain(TestDatabase.Product product, int kills) throws Exception {
        long seed = Depth.seed();
        Random random = new Random(seed);
        String url = url(product);
        for (int kill = 0; kill < kills; kill++) {
            Process doomed = nodes.start(url, "n" + kill, Node.HEARTBEAT);
            awaitRuns((kill * RUNS + random.nextInt(RUNS / 2)) / kills + 1);
            doomed.destroyForcibly();
            assertThat(ChildProcess.awaitEnd(doomed))
                    .as("-Dseed=" + seed + ": killed")
                    .isEqualTo(128 + 9);
        }
        nodes.awaitEnd(nodes.start(url, "last", Node.HEARTBEAT));

        assertCompleted(url, runs(), kills * RolloutNode.MAX_CONCURRENCY);
    }

    private void assertCompleted(String url, List<Run> runs, int repeats) throws IOException {
        Fleet.assertInOrder(runs, Fleet.STAGES, repeats);
        Map<String, Long> last = Fleet.assertWithoutGaps(RolloutNodes.lines(RolloutNode.told(folder)).stream()
                .map(Told::parse)
                .toList());
        try (HikariDataSource dataSource = TestDatabase.pool(url)) {
            PlanStore store = JdbcRolloutStore.of(dataSource).plans();
            var plan = store.findPlan(RolloutNode.PLAN).orElseThrow();
            assertThat(plan.status()).isEqualTo(PlanStatus.COMPLETED);
            assertThat(last).containsEntry(RolloutNode.PLAN.value(), plan.sequence());
            List<TaskRecord> tasks = store.findByPlanId(RolloutNode.PLAN);
            assertThat(tasks).hasSize(TENANTS);
            for (TaskRecord task : tasks) {
                assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
                assertThat(task.attempt()).isEqualTo(1);
                assertThat(last).containsEntry(task.id().value(), task.sequence());
                assertThat(store.findTenant(task.tenantId()).claim()).isNull();
                assertThat(Files.readString(
                                RolloutNode.version(folder, task.tenantId().value())))
                        .isEqualTo("42");
            }
        }
    }

    @Test
    @Tag("deep")
    @Tag("R126")
    void anotherNodeGoesOnWithin15Seconds() throws Exception {
        String url = url(TestDatabase.Product.POSTGRESQL);
        Duration byDefault = Duration.ofSeconds(2);
        Files.createFile(RolloutNode.held(folder));
        Process doomed = nodes.start(url, "n1", byDefault);
        awaitRuns(1);
        Process other = nodes.start(url, "n2", byDefault);
        nodes.await(() -> "the other is up", () -> nodes.up().contains("n2"));
        doomed.destroyForcibly();
        long killed = System.nanoTime();
        ChildProcess.awaitEnd(doomed);
        Files.delete(RolloutNode.held(folder));
        int before = runs().size();
        awaitRuns(before + 1);
        assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(15));

        nodes.awaitEnd(other);
        assertCompleted(url, runs(), RolloutNode.MAX_CONCURRENCY);
    }

    @Test
    @Tag("deep")
    @Tag("R121")
    void whoIsStoppedForTooLongAndGoesOnWritesNothingMore() throws Exception {
        String url = url(TestDatabase.Product.POSTGRESQL);
        Process stopped = nodes.start(url, "n1", Node.HEARTBEAT);
        awaitRuns(RUNS / 4);
        RolloutNodes.signal("STOP", stopped);
        nodes.awaitEnd(nodes.start(url, "n2", Node.HEARTBEAT));
        List<TaskRecord> before = tasks(url);

        RolloutNodes.signal("CONT", stopped);
        nodes.awaitEnd(stopped);

        assertThat(tasks(url)).isEqualTo(before);
        List<Run> accepted = accepted(runs());
        assertThat(runs().size() - accepted.size()).isLessThanOrEqualTo(RolloutNode.MAX_CONCURRENCY);
        assertCompleted(url, accepted, RolloutNode.MAX_CONCURRENCY);
    }

    private static List<TaskRecord> tasks(String url) {
        try (HikariDataSource dataSource = TestDatabase.pool(url)) {
            return JdbcRolloutStore.of(dataSource).plans().findByPlanId(RolloutNode.PLAN);
        }
    }

    /** What a tenant takes that refuses a lower token than it has seen. */
    private static List<Run> accepted(List<Run> runs) {
        Map<String, Long> highest = new HashMap<>();
        return runs.stream()
                .filter(run -> run.token() >= highest.merge(run.tenant(), run.token(), Math::max))
                .toList();
    }
}
