package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.PooledApplication.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.sql.Connection;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What happens to connections while the application stops. */
@Tag("J11")
class ConnectionStopTests {

    @AfterEach
    void nobody() {
        TENANT.remove();
    }

    @Test
    void aTransactionThatIsOpenEndsBeforeThePoolIsClosed() {
        PooledApplication.ofPool(3).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            HikariDataSource pool = dataSource.unwrap(HikariDataSource.class);
            JdbcTemplate database = new JdbcTemplate(dataSource);
            DataSourceTransactionManager transactions = new DataSourceTransactionManager(dataSource);
            TransactionTemplate outer = new TransactionTemplate(transactions);
            TransactionTemplate requiresNew = new TransactionTemplate(transactions);
            requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            Gate begun = new Gate();
            Gate gate = new Gate();
            Caller<Integer> working = Caller.start(() -> {
                TENANT.set("a");
                return outer.execute(status -> {
                    database.execute("CREATE TABLE audits (entry VARCHAR)");
                    begun.open();
                    passed(gate);
                    requiresNew.executeWithoutResult(
                            inner -> database.update("INSERT INTO audits VALUES ('by a connection of its own')"));
                    return database.queryForObject("SELECT COUNT(*) FROM audits", Integer.class);
                });
            });
            begun.pass();

            Caller<?> closing = Caller.startPlatform(Executors.callable(context.getSourceApplicationContext()::close));
            awaitDrain();
            assertThat(pool.isClosed()).isFalse();
            assertThat(context.getBean("connections", GroupExecutor.class).isShutdown())
                    .isFalse();
            gate.open();

            assertThat(working.result()).isEqualTo(1);
            closing.result();
            assertThat(pool.isClosed()).isTrue();
        });
    }

    @Test
    void whatTheOtherExecutorStillRunsHasItsConnections() {
        PooledApplication.ofPool(3).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            GroupExecutor executor = context.getBean("groupExecutor", GroupExecutor.class);
            Gate gate = new Gate();
            TaskHandle<Boolean> task = executor.submit("reports", () -> {
                gate.pass();
                TENANT.set("a");
                try (Connection connection = dataSource.getConnection()) {
                    return connection.isValid(1);
                }
            });
            Caller<?> closing = Caller.startPlatform(Executors.callable(context.getSourceApplicationContext()::close));
            awaitDrain();
            gate.open();

            assertThat(task.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isTrue();
            closing.result();
        });
    }

    @Test
    void afterItsEndWhoHasAGroupIsRefusedAndThePoolIsntAsked() {
        PooledApplication.ofPool(3).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            TENANT.set("a");
            dataSource.getConnection().close();
            context.getSourceApplicationContext().close();

            assertThatExceptionOfType(GroupConnectionException.class)
                    .isThrownBy(dataSource::getConnection)
                    .satisfies(
                            refused -> assertThat(refused.rejection().reason()).isEqualTo(RejectionReason.SHUTDOWN));
        });
    }

    private static void passed(Gate gate) {
        try {
            gate.pass();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static void awaitDrain() {
        Deadline.until(
                "a thread of the lifecycle waits for quiet",
                () -> Thread.getAllStackTraces().entrySet().stream()
                        .filter(thread -> thread.getKey().getName().equals("group-concurrency-stop"))
                        .flatMap(thread -> Stream.of(thread.getValue()))
                        .anyMatch(frame -> frame.getMethodName().equals("awaitQuiet")));
    }
}
