package io.github.kobe.spring.autoconfigure;

import static io.github.kobe.spring.testing.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.spring.metrics.GroupConcurrencyMetricsAutoConfiguration;
import io.github.kobe.spring.web.GroupConcurrencyWebAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** Every switch means what Spring Boot's conditions take it for, and no other word switches anything. */
class SwitchesTests {

    private static final String ALL = """
        annotation.enabled                | groupConcurrencyAdvisor
        metrics.enabled               | groupConcurrencyMeterBinder
        context-propagation.enabled   | groupConcurrencyMdcTaskDecorator
        web.problem-details.enabled   | groupConcurrencyRejectionExceptionResolver
        """;

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupConcurrentAspectAutoConfiguration.class,
                    GroupConcurrencyMetricsAutoConfiguration.class,
                    GroupConcurrencyWebAutoConfiguration.class));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = ALL)
    void trueSwitchesOn(String property, String bean) {
        for (String on : new String[] {"true", "TRUE"}) {
            runner.withPropertyValues("group-concurrency." + property + "=" + on)
                    .run(context -> assertThat(context).hasBean(bean));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = ALL)
    void falseSwitchesOff(String property, String bean) {
        for (String off : new String[] {"false", "False"}) {
            runner.withPropertyValues("group-concurrency." + property + "=" + off)
                    .run(context -> assertThat(context).doesNotHaveBean(bean));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = ALL)
    void anyOtherWordFailsTheStartUp(String property, String bean) {
        for (String other : new String[] {"on", "YES", "0"}) {
            runner.withPropertyValues("group-concurrency." + property + "=" + other)
                    .run(refused(property, other, "true or false"));
        }
        runner.withPropertyValues("group-concurrency." + property + "=perhaps")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("'group-concurrency." + property + "'"));
    }
}
