package io.github.kobe.spring.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.scope.CancelledByTimeoutException;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Forks beside the transaction of their owner, on a real database and a real connection pool. */
class ScopesAndTransactionsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(BootAutoConfigurations.named(
                    "AopAutoConfiguration",
                    "DataSourceAutoConfiguration",
                    "DataSourceTransactionManagerAutoConfiguration",
                    "JdbcTemplateAutoConfiguration",
                    "TransactionAutoConfiguration"))
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrencyScopeAutoConfiguration.class,
                    GroupConcurrentAspectAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true")
            .withBean(Orders.class)
            .withBean(Pages.class);

    @Test
    void aForkHasNoTransactionOfItsOwner() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            orders.create();

            assertThat(context.getBean(Pages.class).addAndLookInAFork())
                    .isEqualTo("owner: true, rows: 1; fork: false, rows: 0");
        });
    }

    @Test
    void theTransactionOfAForkCommitsThoughItsOwnersRollsBack() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            orders.create();

            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> context.getBean(Pages.class).addInAForkAndFail())
                    .withMessage("the owner failed");

            assertThat(orders.names()).containsExactly("of the fork");
        });
    }

    @Test
    void theTransactionOfAForkThatFailsRollsBackAndItsOwnersDoesWhatItsOwnExceptionSays() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            orders.create();

            context.getBean(Pages.class).addAndOutliveAFailedFork();

            assertThat(orders.names()).containsExactly("of the owner");
        });
    }

    @Test
    void anOwnerThatHoldsTheLastConnectionWaitsForAForkThatWantsOneUntilItsTimeIsUp() {
        runner.withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=1", "group-concurrency.scope.default-timeout=300ms")
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    orders.create();

                    assertThatExceptionOfType(ExecutionException.class)
                            .isThrownBy(() -> context.getBean(Pages.class).addAndLookInAFork())
                            .withCauseInstanceOf(CancelledByTimeoutException.class);

                    assertThat(context.getBean(HikariDataSource.class)
                                    .getHikariPoolMXBean()
                                    .getActiveConnections())
                            .isZero();
                    assertThat(orders.names()).isEmpty();
                });
    }

    @Test
    void openedOutsideOfATransactionAScopeNeedsOneConnectionOnly() {
        runner.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1")
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    orders.create();

                    assertThat(context.getBean(Pages.class).load()).isEqualTo("2 forks, 0 failed");
                    assertThat(orders.names()).hasSize(2);
                });
    }

    /** Three owners at once and two forks, on five connections: nobody ever waits for one. */
    @Test
    void ownersLimitedBelowThePoolLeaveConnectionsForTheirForks() {
        runner.withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=5",
                        "group-concurrency.groups.pages.max-concurrency=3",
                        "group-concurrency.groups.orders.max-concurrency=2")
                .run(context -> {
                    context.getBean(Orders.class).create();
                    Pages pages = context.getBean(Pages.class);
                    List<Caller<String>> owners = new ArrayList<>();
                    for (int i = 0; i < 30; i++) {
                        owners.add(Caller.start(pages::limitedAddAndLookInAFork));
                    }
                    for (Caller<String> owner : owners) {
                        assertThat(owner.result()).startsWith("owner: true").contains("fork: false");
                    }
                });
    }

    static class Orders {

        private final JdbcTemplate database;

        Orders(JdbcTemplate database) {
            this.database = database;
        }

        void create() {
            database.execute("CREATE TABLE orders (name VARCHAR(20))");
        }

        @Transactional
        public String add(String name) {
            database.update("INSERT INTO orders VALUES (?)", name);
            if (name.equals("bad")) {
                throw new IllegalArgumentException("a bad name");
            }
            return look();
        }

        String look() {
            return TransactionSynchronizationManager.isActualTransactionActive() + ", rows: " + names().size();
        }

        List<String> names() {
            return database.queryForList("SELECT name FROM orders", String.class);
        }
    }

    static class Pages {

        private final Scopes scopes;
        private final Orders orders;

        Pages(Scopes scopes, Orders orders) {
            this.scopes = scopes;
            this.orders = orders;
        }

        @Transactional(rollbackFor = Exception.class)
        public String addAndLookInAFork() throws ExecutionException, InterruptedException {
            String owner = orders.add("of the owner");
            try (GroupScope<String, ?, ExecutionException> scope = scopes.open()) {
                Subtask<String> fork = scope.fork("orders", orders::look);
                scope.join();
                return "owner: " + owner + "; fork: " + fork.get();
            }
        }

        @GroupConcurrent(group = "pages")
        @Transactional
        public String limitedAddAndLookInAFork() throws ExecutionException, InterruptedException {
            return addAndLookInAFork();
        }

        @Transactional
        public void addInAForkAndFail() throws ExecutionException, InterruptedException {
            orders.add("of the owner");
            try (GroupScope<String, ?, ExecutionException> scope = scopes.open()) {
                scope.fork("orders", () -> orders.add("of the fork"));
                scope.join();
            }
            throw new IllegalStateException("the owner failed");
        }

        @Transactional
        public void addAndOutliveAFailedFork() throws InterruptedException {
            orders.add("of the owner");
            try (GroupScope<String, ?, ExecutionException> scope = scopes.open()) {
                scope.fork("orders", () -> orders.add("bad"));
                scope.join();
            } catch (ExecutionException failed) {
                assertThat(failed.getCause()).hasMessage("a bad name");
            }
        }

        public String load() throws ExecutionException, InterruptedException {
            try (GroupScope<String, ?, ExecutionException> scope =
                    scopes.open(change -> change.withTimeout(Duration.ofMinutes(1)))) {
                scope.fork("orders", () -> orders.add("first"));
                scope.fork("others", () -> orders.add("second"));
                scope.join();
                return scope.totals().started() + " forks, " + scope.totals().failed() + " failed";
            }
        }
    }
}
