package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A limited method with a transaction beside it, on a real database and a real connection pool. */
class TransactionalCallsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(BootAutoConfigurations.named(
                    "AopAutoConfiguration",
                    "DataSourceAutoConfiguration",
                    "DataSourceTransactionManagerAutoConfiguration",
                    "JdbcTemplateAutoConfiguration",
                    "TransactionAutoConfiguration"))
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true")
            .withBean(JdbcOrders.class);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallThatWaitsForItsTurnHoldsNoConnection(boolean proxyTargetClass) {
        runner.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    Orders orders = context.getBean(Orders.class);
                    assertThat(AopUtils.isCglibProxy(orders)).isEqualTo(proxyTargetClass);
                    orders.create();
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    executor.pause("orders");
                    FutureTask<String> call = new FutureTask<>(() -> orders.add("a"));
                    Thread.startVirtualThread(call);
                    Deadline.until(
                            "one in the queue",
                            () -> executor.groupStats("orders").orElseThrow().queued() == 1);

                    assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                            .isZero();

                    executor.resume("orders");
                    assertThat(call.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("transaction: true, rows: 1");
                });
    }

    @Test
    void theTransactionRollsBackWhenTheMethodThrows() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            orders.create();
            try {
                orders.add(null);
            } catch (IllegalArgumentException expected) {
                assertThat(expected).hasMessage("no name");
            }

            assertThat(orders.count()).isZero();
        });
    }

    @Test
    void aDispatchedMethodOpensItsTransactionOnItsOwnThread() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            orders.create();

            assertThat(orders.addLater("a").get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo("transaction: true, virtual: true");
            assertThat(orders.count()).isEqualTo(1);
        });
    }

    interface Orders {
        void create();

        String add(String name);

        CompletableFuture<String> addLater(String name);

        int count();
    }

    static class JdbcOrders implements Orders {

        private final JdbcTemplate database;

        JdbcOrders(JdbcTemplate database) {
            this.database = database;
        }

        @Override
        public void create() {
            database.execute("CREATE TABLE orders (name VARCHAR(20))");
        }

        @Override
        @Transactional
        @GroupConcurrent(group = "orders")
        public String add(String name) {
            database.update("INSERT INTO orders VALUES (?)", name);
            if (name == null) {
                throw new IllegalArgumentException("no name");
            }
            return "transaction: " + TransactionSynchronizationManager.isActualTransactionActive() + ", rows: "
                    + count();
        }

        @Override
        @Transactional
        @GroupConcurrent(group = "orders")
        public CompletableFuture<String> addLater(String name) {
            database.update("INSERT INTO orders VALUES (?)", name);
            return CompletableFuture.completedFuture(
                    "transaction: " + TransactionSynchronizationManager.isActualTransactionActive() + ", virtual: "
                            + Thread.currentThread().isVirtual());
        }

        @Override
        public int count() {
            Integer rows = database.queryForObject("SELECT COUNT(*) FROM orders", Integer.class);
            return rows == null ? 0 : rows;
        }
    }
}
