package io.github.kobe.rollout.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutException;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.Step;
import io.github.kobe.rollout.WaveSize;
import io.github.kobe.rollout.jdbc.Fleet.Run;
import io.github.kobe.rollout.jdbc.Fleet.Told;
import io.github.kobe.rollout.redis.RedisCheckpointStore;
import io.github.kobe.rollout.redis.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.dao.DataAccessException;

/**
 * A node in a process of its own. It starts the plan, unless that is done, and ends when the plan is at rest. What it does
 * to tenants, and what it tells, it writes into files, which outlive it.
 */
final class RolloutNode {

    static final PlanId PLAN = PlanId.of("plan-killed");
    static final int MAX_CONCURRENCY = 3;

    private static final Duration BAKE_TIME = Duration.ofMillis(200);
    private static final Duration STEP = Duration.ofMillis(5);

    /** As the docs recommend it; otherwise what asks for a connection waits for half a minute while the database is away. */
    private static final Duration CONNECTION = Duration.ofSeconds(3);

    private final Path journal;

    private RolloutNode(Path journal) {
        this.journal = journal;
    }

    /** Has when which node was at work for which tenant. */
    static VisitLog visits(Path journal) {
        return new VisitLog(journal.resolve("visits"));
    }

    /** Has how long a step takes that begins now, if that is more than a moment. */
    static Path step(Path journal) {
        return journal.resolve("step");
    }

    static Path runs(Path journal) {
        return journal.resolve("runs");
    }

    static Path told(Path journal) {
        return journal.resolve("told");
    }

    /** Has the names of those that are up. */
    static Path up(Path journal) {
        return journal.resolve("up");
    }

    /** While it is there, no step ends. */
    static Path held(Path journal) {
        return journal.resolve("held");
    }

    /** Has the port of a Redis, if checkpoints are kept in one. */
    static Path redis(Path journal) {
        return journal.resolve("redis");
    }

    static Path version(Path journal, String tenant) {
        return journal.resolve("version-" + tenant);
    }

    /** Has what a node took for the time of day when it came up. */
    static Path time(Path journal, String name) {
        return journal.resolve("time-" + name);
    }

    static Process start(List<String> options, String url, String name, Path journal, int tenants, Duration heartbeat)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), RolloutNode.class.getName()));
        command.addAll(List.of(url, name, journal.toString(), String.valueOf(tenants), heartbeat.toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(journal.resolve(name + ".log").toFile())
                .start();
    }

    public static void main(String[] arguments) throws Exception {
        RolloutNode node = new RolloutNode(Path.of(arguments[2]));
        Duration heartbeat = Duration.parse(arguments[4]);
        try (HikariDataSource dataSource = TestDatabase.pool(arguments[0], CONNECTION);
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = node.builder(executor)
                        .store(JdbcRolloutStore.of(dataSource)
                                .createTables()
                                .withPollingInterval(heartbeat.dividedBy(2))
                                .withHeartbeat(heartbeat, Node.MISSED))
                        .node(arguments[1])
                        .stages(stages(node.journal, arguments[1]))
                        .sink(event ->
                                node.write(told(node.journal), Told.of(event).line()))
                        .build()) {
            node.write(up(node.journal), arguments[1]);
            node.write(time(node.journal, arguments[1]), Instant.now().toString());
            start(rollouts, Integer.parseInt(arguments[3]));
            while (!isSettled(rollouts)) {
                node.write(node.journal.resolve("log"), "not yet");
            }
        }
    }

    /** {@return false also if the database doesn't answer} */
    private static boolean isSettled(Rollouts rollouts) throws InterruptedException {
        try {
            return rollouts.await(PLAN, Duration.ofMinutes(1)).status().isSettled();
        } catch (DataAccessException e) {
            LockSupport.parkNanos(CONNECTION.toNanos() / 10);
            return false;
        }
    }

    private RolloutsBuilder builder(GroupExecutor executor) throws IOException {
        RolloutsBuilder builder = Rollouts.builder(executor);
        Path redis = redis(journal);
        return Files.exists(redis)
                ? builder.checkpoints(
                        RedisCheckpointStore.of(TestRedis.template(Integer.parseInt(Files.readString(redis)))))
                : builder;
    }

    private static void start(Rollouts rollouts, int tenants) {
        try {
            rollouts.create(Fleet.inWaves(
                    Fleet.plan(PLAN.value(), tenants, MAX_CONCURRENCY), WaveSize.percent(50), BAKE_TIME, null));
        } catch (RolloutException e) {
            System.out.println(e.getMessage());
        }
        if (rollouts.plan(PLAN).status() == PlanStatus.READY) {
            try {
                rollouts.start(PLAN);
            } catch (RolloutException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /** Stages that write into the files. */
    static List<Stage> stages(Path journal, String name) {
        Step change = visits(journal).noted(name, new RolloutNode(journal)::change);
        return Fleet.STAGES.stream()
                .map(stage -> Stage.named(stage).step(change))
                .toList();
    }

    private void change(StageContext ctx) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Path step = step(journal);
        long time = (Files.exists(step) ? Duration.parse(Files.readString(step)) : STEP).toNanos();
        write(runs(journal), Run.of(ctx).line());
        Files.writeString(
                version(journal, ctx.tenantId().value()),
                String.valueOf(ctx.change().unit().version().version()));
        CountDownLatch never = new CountDownLatch(1);
        do {
            never.await(STEP.toNanos(), TimeUnit.NANOSECONDS);
        } while (System.nanoTime() - begin < time || Files.exists(held(journal)));
    }

    private void write(Path file, String line) {
        try {
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
