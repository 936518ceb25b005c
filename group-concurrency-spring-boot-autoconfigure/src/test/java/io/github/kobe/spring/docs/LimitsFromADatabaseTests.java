package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What the howto on limits from a database says, on a database. */
@ExtendWith(OutputCaptureExtension.class)
class LimitsFromADatabaseTests {

    private static final Markdown PAGE = Markdown.page("docs/howto/limits-from-a-database.md");

    private final JdbcTemplate database =
            new JdbcTemplate(new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"));

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
            .withBean(JdbcTemplate.class, () -> database)
            .withBean(PlanLimits.class)
            .withBean(PlanChange.class)
            .withInitializer(context -> {
                byte[] yaml = PAGE.blocks("yaml").getFirst().getBytes(StandardCharsets.UTF_8);
                try {
                    new YamlPropertySourceLoader()
                            .load("docs", new ByteArrayResource(yaml))
                            .forEach(context.getEnvironment().getPropertySources()::addLast);
                } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                }
            });

    private void makeTable() {
        database.execute(PAGE.blocks("sql").getFirst());
        database.update("INSERT INTO plan VALUES ('gold', 8, 50)");
        database.update("INSERT INTO plan VALUES ('wrong', 0, 50)");
    }

    private static GroupStats used(GroupExecutor executor, String key) throws Exception {
        executor.call(key, () -> "used");
        return executor.groupStats(key).orElseThrow();
    }

    @Test
    void tenantsHaveTheNumbersOfTheirPlansAndInheritTheOthers() {
        makeTable();
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            GroupStats gold = used(executor, "tenant:gold");
            assertThat(gold.maxConcurrency()).isEqualTo(new EffectiveLimit<>(8, LimitSource.RESOLVER));
            assertThat(gold.queueThreshold()).isEqualTo(new EffectiveLimit<>(50, LimitSource.RESOLVER));
            assertThat(gold.queueTimeout().value()).isEqualTo(Duration.ofSeconds(5));
            assertThat(used(executor, "tenant:unknown").maxConcurrency())
                    .isEqualTo(new EffectiveLimit<>(1, LimitSource.PATTERN));
            assertThat(used(executor, "db-read").maxConcurrency())
                    .isEqualTo(new EffectiveLimit<>(2, LimitSource.DEFAULT));
            assertThat(executor.policy().limitsRefresh()).isEqualTo(Duration.ofMinutes(1));

            context.getBean(PlanChange.class).apply("gold", 9);

            assertThat(executor.groupStats("tenant:gold")
                            .orElseThrow()
                            .maxConcurrency()
                            .value())
                    .isEqualTo(9);
        });
    }

    @Test
    void anIntervalWithoutAResolverIsWarnedOf(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withPropertyValues("group-concurrency.limits-refresh=1m")
                .run(context -> assertThat(output).contains("limits-refresh has no effect"));
    }

    @Test
    void aDatabaseThatIsAwayAndARowThatIsWrongLeaveWhatIsInherited() {
        runner.run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            try (CapturedLog log = CapturedLog.open()) {
                assertThat(used(executor, "tenant:gold").maxConcurrency().value())
                        .as("without the table")
                        .isEqualTo(1);
                assertThat(log.warnings())
                        .singleElement()
                        .asString()
                        .contains("The limits resolver failed for group 'tenant:gold'");
            }

            makeTable();
            executor.limitsChanged();

            assertThat(executor.groupStats("tenant:gold")
                            .orElseThrow()
                            .maxConcurrency()
                            .value())
                    .isEqualTo(8);
            assertThat(used(executor, "tenant:wrong").maxConcurrency().value()).isEqualTo(1);
            assertThat(used(executor, "tenant:wrong").queueThreshold().value()).isEqualTo(100);
        });
    }
}
