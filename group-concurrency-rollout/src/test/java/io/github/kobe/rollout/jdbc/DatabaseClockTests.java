package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;

class DatabaseClockTests {

    private static final Duration CLOSE = Duration.ofSeconds(30);

    @Test
    @Tag("R126")
    void theTimeIsTheDatabasesAndGoesOn() {
        try (TestDatabase database = TestDatabase.Product.H2.open()) {
            PlanStore store = JdbcRolloutStore.of(database.dataSource()).plans();
            Instant first = store.now();
            assertThat(first).isCloseTo(Instant.now(), Assertions.within(CLOSE));
            Deadline.until("later", () -> store.now().isAfter(first));
            assertThat(first.truncatedTo(ChronoUnit.MICROS))
                    .as("as the database keeps it")
                    .isEqualTo(first);
        }
    }

    @Test
    @Tag("R126")
    void theTimeIsWhatTheDatabaseSaysThoughThisMachineSaysAnother() {
        Instant there = Instant.now().plus(Duration.ofHours(1));
        JdbcOperations database = (JdbcOperations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {JdbcOperations.class},
                (proxy, method, arguments) -> there.atOffset(ZoneOffset.UTC));
        DatabaseClock clock = new DatabaseClock(database, () -> Dialect.H2);

        assertThat(clock.now()).isCloseTo(there, Assertions.within(CLOSE));
        assertThat(clock.now()).isAfterOrEqualTo(there.truncatedTo(ChronoUnit.MICROS));
    }

    /** For the database both nodes are an hour off, and it makes no difference: not to what is due, nor to who is lost. */
    @ParameterizedTest
    @ValueSource(strings = {"+ interval '1 hour'", "- interval '1 hour'"})
    @Tag("deep")
    @Tag("R126")
    void nodesWhoseClocksAreWrongTakeOverFromOneAnother(String off) throws Exception {
        try (TestDatabase database = TestDatabase.Product.POSTGRESQL.open(off)) {
            Instant there = new JdbcTemplate(database.dataSource())
                    .queryForObject("select clock_timestamp()", java.sql.Timestamp.class)
                    .toInstant();
            assertThat(Duration.between(there, Instant.now()).abs()).isGreaterThan(Duration.ofMinutes(50));
            Gate gate = new Gate();
            List<Stage> stages = List.of(Stage.named("A").step(ctx -> {
                if (gate.arrived() == 0) {
                    gate.pass();
                }
            }));
            PlanId planId = PlanId.of("plan-x");
            try (Node first = new Node("n1", database.dataSource(), stages, event -> {});
                    Node second = new Node("n2", database.dataSource(), stages, event -> {})) {
                first.rollouts().start(Fleet.plan(planId.value(), 1, 1));
                gate.awaitArrived(1);
                List.of(first, second)
                        .forEach(node -> assertThat(node.store().now()).isCloseTo(there, Assertions.within(CLOSE)));
                boolean isOfFirst = first.isBusy();
                Node doomed = isOfFirst ? first : second;
                Node heir = isOfFirst ? second : first;
                doomed.kill();
                PlanInfo plan = heir.rollouts().await(planId, Deadline.LONG);
                assertThat(plan.status()).isEqualTo(PlanStatus.COMPLETED);
                assertThat(plan.endedAt()).isCloseTo(there, Assertions.within(CLOSE));
                gate.open();
            }
        }
    }
}
