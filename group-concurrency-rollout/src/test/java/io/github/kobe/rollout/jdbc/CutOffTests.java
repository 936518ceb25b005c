package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.StoreTransaction;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A task that is cut off in the middle of a transaction. */
class CutOffTests {

    private static final PlanId PLAN = PlanId.of("plan-x");

    @TempDir
    private Path folder;

    private final Gate within = new Gate();
    private final AtomicReference<Thread> task = new AtomicReference<>();
    private final AtomicReference<Thread> drive = new AtomicReference<>();

    @Test
    @Tag("R127")
    void aTransactionIsNotInterruptedForItWouldCloseTheDatabaseOfAll() throws Exception {
        String url = "jdbc:h2:file:" + folder.resolve("rollouts") + ";WRITE_DELAY=0";
        try (HikariDataSource dataSource = TestDatabase.pool(url);
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build())) {
            PlanStore store = JdbcRolloutStore.of(dataSource).createTables().plans();
            Rollouts rollouts = Rollouts.builder(executor)
                    .store(stopping(store))
                    .stages(Stage.named("A").step(ctx -> task.set(Thread.currentThread())), Stage.named("B"))
                    .shutdownGrace(Duration.ZERO)
                    .build();
            try (Connection other = dataSource.getConnection()) {
                rollouts.start(Fleet.plan(PLAN.value(), 1, 1));
                within.awaitArrived(1);
                Thread closing = Thread.ofVirtual().start(rollouts::close);
                Deadline.until("cut off", () -> isAt(drive.get(), "awaitEnd"));
                within.open();
                assertThat(closing.join(Deadline.LONG)).isTrue();

                JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(other, true));
                assertThatCode(() -> template.queryForList("select * from rollout_plan"))
                        .doesNotThrowAnyException();
            }
            assertThat(store.findByPlanId(PLAN).getFirst().stagesDone()).isEqualTo(1);
        }
    }

    private static boolean isAt(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    /** The same store, which stops the task's thread in the transaction after its first stage. */
    @SuppressWarnings("unchecked")
    private PlanStore stopping(PlanStore store) {
        return (PlanStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PlanStore.class}, (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals("transact")) {
                            return store.transact(stopping((Function<StoreTransaction, Object>) arguments[0]));
                        }
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Function<StoreTransaction, Object> stopping(Function<StoreTransaction, Object> work) {
        return transaction -> {
            if (Thread.currentThread().getName().startsWith("rollout-drive-")) {
                drive.set(Thread.currentThread());
            }
            Object result = work.apply(transaction);
            if (Thread.currentThread().equals(task.get()) && within.arrived() == 0) {
                within.passStubbornly();
            }
            return result;
        };
    }
}
