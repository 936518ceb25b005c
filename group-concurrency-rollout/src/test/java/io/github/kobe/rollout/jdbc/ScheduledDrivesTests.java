package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.WaveCheck;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** How a node ends that looks for drives, and when a drive is gone. */
class ScheduledDrivesTests {

    /** After a second db-scheduler interrupts a look that isn't over, which on a busy machine may be one of ours. */
    @Test
    @Tag("R127")
    void whoClosesDuringALookWaitsForItsEndAndNotForTheTimeOfTheNext() {
        assertThat(IntStream.range(0, 5).anyMatch(round -> theLookIsTheLast())).isTrue();
    }

    private static boolean theLookIsTheLast() {
        Gate gate = new Gate();
        AtomicReference<Thread> looking = new AtomicReference<>();
        try (TestDatabase database = TestDatabase.Product.H2.open();
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build())) {
            DelegatingDataSource gated = new DelegatingDataSource(database.dataSource()) {
                @Override
                public Connection getConnection() throws SQLException {
                    if (Thread.currentThread().getName().equals("rollout-due")) {
                        looking.set(Thread.currentThread());
                        gate.passStubbornly();
                    }
                    return super.getConnection();
                }
            };
            Rollouts rollouts = Rollouts.builder(executor)
                    .store(JdbcRolloutStore.of(gated).withPollingInterval(Deadline.LONG))
                    .stages(Stage.named("A"))
                    .build();
            gate.awaitArrived(1);
            Caller<?> closing = Caller.startPlatform(Executors.callable(rollouts::close));
            Deadline.until("the look is waited for", ScheduledDrivesTests::isWaitedFor);

            gate.open();

            Thread look = looking.get();
            Deadline.until("it has ended, or waits", () -> !look.isAlive() || waitsForTheNext(look));
            boolean ended = !look.isAlive();
            closing.result();
            return ended;
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    /** Whoever waits for the plan knows that it is over before the drive's execution is removed. */
    @Test
    @Tag("R120")
    @Tag("R136")
    void aPlanThatIsPurgedAndStartedAgainRunsThoughTheLastDriveOfTheEarlierOneIsStillThere() throws Exception {
        Gate gate = new Gate();
        try (TestDatabase database = TestDatabase.Product.H2.open();
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .store(JdbcRolloutStore.of(removingAt(gate, database.dataSource())))
                        .stages(Stage.named("A"))
                        .build()) {
            RolloutPlan plan = Fleet.plan("plan-x", 1, 1);
            PlanId planId = rollouts.start(plan).planId();
            assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
            gate.awaitArrived(1);
            assertThat(rollouts.purge(Duration.ZERO)).isEqualTo(1);
            rollouts.start(plan);

            gate.open();

            assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        }
    }

    @Test
    @Tag("R138")
    @Tag("R143")
    void aPlanThatWaitsForItsCheckHasOneDriveThatIsDue() {
        AtomicInteger asked = new AtomicInteger();
        try (TestDatabase database = TestDatabase.Product.H2.open();
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .store(JdbcRolloutStore.of(database.dataSource()).withPollingInterval(Duration.ofMillis(50)))
                        .stages(Stage.named("A"))
                        .waveCheck((plan, wave) -> {
                            asked.incrementAndGet();
                            return WaveCheck.Verdict.WAIT;
                        })
                        .waveCheckInterval(Duration.ofMillis(100))
                        .build()) {
            rollouts.start(RolloutPlan.named("plan-x")
                    .add(Samples.change("acme"))
                    .add(Samples.change("zorg"))
                    .waves(1)
                    .checked(Duration.ofHours(1))
                    .build());
            Deadline.until("asked again and again", () -> asked.get() >= 10);

            assertThat(new JdbcTemplate(database.dataSource())
                            .queryForObject("select count(*) from rollout_execution where not picked", Integer.class))
                    .isLessThanOrEqualTo(1);
        }
    }

    /** {@return the database, in which no drive removes its execution until the gate is open} */
    private static DataSource removingAt(Gate gate, DataSource dataSource) {
        return new DelegatingDataSource(dataSource) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("prepareStatement")
                                    && arguments[0].toString().startsWith("delete from rollout_execution")
                                    && Thread.currentThread().getName().startsWith("rollout-drive-")) {
                                gate.passStubbornly();
                            }
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }

    private static boolean isWaitedFor() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().equals("rollout-stop"))
                .anyMatch(thread -> isIn(thread.getValue(), "awaitTermination"));
    }

    private static boolean waitsForTheNext(Thread look) {
        return look.getState() == Thread.State.TIMED_WAITING && isIn(look.getStackTrace(), "doWait");
    }

    private static boolean isIn(StackTraceElement[] frames, String method) {
        return Arrays.stream(frames).anyMatch(frame -> frame.getMethodName().equals(method));
    }
}
