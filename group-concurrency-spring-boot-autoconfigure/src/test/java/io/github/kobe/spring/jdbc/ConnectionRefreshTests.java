package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.PooledApplication.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.LimitSource;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefresher;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Limits of connections that change while the application runs. */
@Tag("J11")
@ExtendWith(OutputCaptureExtension.class)
class ConnectionRefreshTests {

    /** The source of settings that changes. */
    private final Map<String, Object> settings = new HashMap<>();

    private final ApplicationContextRunner runner = PooledApplication.ofPool(10)
            .withInitializer(context ->
                    context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("live", settings)));

    @AfterEach
    void nobody() {
        TENANT.remove();
    }

    private void set(String setting, Object value) {
        settings.put("group-concurrency.datasource." + setting, value);
    }

    private static void refresh(ApplicationContext context) {
        context.getBean(GroupConcurrencyRefresher.class).refresh();
    }

    private static GroupExecutor connections(ApplicationContext context) {
        return context.getBean("connections", GroupExecutor.class);
    }

    private static void use(ApplicationContext context, String tenant) throws Exception {
        TENANT.set(tenant);
        context.getBean(DataSource.class).getConnection().close();
    }

    private static EffectiveLimit<Integer> maxConcurrency(ApplicationContext context, String group) {
        return connections(context).groupStats(group).orElseThrow().maxConcurrency();
    }

    @Test
    void allOfThemAreReadAnew(CapturedOutput output) {
        runner.run(context -> {
            use(context, "vip");
            set("nested-reserve", 3);
            set("defaults.queue-timeout", "2s");
            set("groups.vip.max-concurrency", 2);
            set("group-list[0].key", "a.b:*");
            set("group-list[0].weight", 5);
            refresh(context);

            GroupPolicy policy = connections(context).policy();
            assertThat(policy.globalMaxInFlight()).isEqualTo(7);
            assertThat(policy.defaults().queueTimeout()).contains(Duration.ofSeconds(2));
            assertThat(policy.patterns()).containsOnlyKeys("a.b:*");
            assertThat(maxConcurrency(context, "vip")).isEqualTo(new EffectiveLimit<>(2, LimitSource.CONFIGURED));
            assertThat(output)
                    .contains("The settings under group-concurrency were read again: nothing has changed")
                    .contains("The settings under group-concurrency were read again for the executor connections:"
                            + " defaults.queue-timeout PT5S -> PT2S, global.max-in-flight 9 -> 7,"
                            + " groups[a.b:*].weight is set to 5, groups[vip].max-concurrency is set to 2");
            use(context, "vip");
            assertThat(connections(context).policy().globalMaxInFlight()).isEqualTo(7);
        });
    }

    @Test
    void aNumberTakesThePlaceOfThePoolAndBack() {
        runner.run(context -> {
            set("max-connections", 4);
            refresh(context);
            use(context, "a");
            assertThat(connections(context).policy().globalMaxInFlight()).isEqualTo(4);
            settings.clear();
            refresh(context);
            use(context, "a");
            assertThat(connections(context).policy().globalMaxInFlight()).isEqualTo(9);
        });
    }

    @Test
    void oneThatDoesNotGoWithThePoolChangesNothingOfAnyExecutor() {
        runner.run(context -> {
            settings.put("group-concurrency.global.max-in-flight", 3);
            set("nested-reserve", 10);

            assertThatExceptionOfType(InvalidSettingException.class)
                    .isThrownBy(() -> refresh(context))
                    .withMessage(
                            "Setting 'group-concurrency.datasource.nested-reserve' leaves nothing of the pool of the"
                                    + " data source 'dataSource', which has 10 connections");

            assertThat(connections(context).policy().globalMaxInFlight()).isEqualTo(9);
            assertThat(context.getBean("groupExecutor", GroupExecutor.class)
                            .policy()
                            .globalMaxInFlight())
                    .isEqualTo(Integer.MAX_VALUE);
        });
    }

    @Test
    void moreGuaranteedThanThePoolHasIsRefusedWithItsSetting() {
        runner.run(context -> {
            set("groups.gold.guaranteed", 20);

            assertThatExceptionOfType(InvalidSettingException.class)
                    .isThrownBy(() -> refresh(context))
                    .satisfies(refusal -> assertThat(refusal.property())
                            .isEqualTo("group-concurrency.datasource.groups.gold.guaranteed"));
        });
    }

    @Test
    void whatAnOperatorSetAndPausedStaysUntilItIsReset() {
        runner.run(context -> {
            use(context, "vip");
            connections(context).setLimits("vip", GroupLimits.unset().withMaxConcurrency(1));
            connections(context).pause("other");
            set("groups.vip.max-concurrency", 3);
            refresh(context);

            assertThat(maxConcurrency(context, "vip")).isEqualTo(new EffectiveLimit<>(1, LimitSource.OVERRIDDEN));
            assertThat(connections(context).groupStats("other").orElseThrow().paused())
                    .isTrue();
            connections(context).resetLimits("vip");
            assertThat(maxConcurrency(context, "vip")).isEqualTo(new EffectiveLimit<>(3, LimitSource.CONFIGURED));
        });
    }

    @Test
    void aLimitThatIsSetOnTheExecutorStaysUntilThePoolChanges(CapturedOutput output) {
        runner.run(context -> {
            use(context, "a");
            GroupExecutor connections = connections(context);
            connections.updatePolicy(
                    connections.policy().toBuilder().globalMaxInFlight(3).build());

            use(context, "a");

            assertThat(connections.policy().globalMaxInFlight()).isEqualTo(3);
            assertThat(output).doesNotContain("instead of 3");
            context.getBean(DataSource.class).unwrap(HikariDataSource.class).setMaximumPoolSize(20);
            use(context, "a");
            assertThat(connections.policy().globalMaxInFlight()).isEqualTo(19);
            assertThat(output).contains("gives out 19 instead of 3");
        });
    }

    @Test
    void aRefreshBeforeAnExecutorIsMadeCountsForIt() {
        runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    set("max-connections", 4);
                    set("groups.vip.max-concurrency", 2);
                    refresh(context);

                    use(context, "vip");

                    assertThat(connections(context).policy().globalMaxInFlight())
                            .isEqualTo(4);
                    assertThat(maxConcurrency(context, "vip").value()).isEqualTo(2);
                });
    }

    @Test
    void aPoolThatGrewBeforeTheRefreshIsFollowed() {
        runner.run(context -> {
            use(context, "a");
            context.getBean(DataSource.class).unwrap(HikariDataSource.class).setMaximumPoolSize(20);
            set("groups.vip.weight", 2);
            refresh(context);
            assertThat(connections(context).policy().globalMaxInFlight()).isEqualTo(19);
        });
    }
}
