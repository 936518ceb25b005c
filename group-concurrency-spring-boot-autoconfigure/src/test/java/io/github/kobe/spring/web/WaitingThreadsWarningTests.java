package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.testing.ApplicationServer;
import io.github.kobe.spring.testing.NeededAutoConfigurations;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Tag("deep")
@ExtendWith(OutputCaptureExtension.class)
class WaitingThreadsWarningTests {

    private static final String WARNING = "so a single busy group could hold them all";

    @Test
    void unboundedQueuesOnPlatformThreadsAreWarnedOfOnce(CapturedOutput output) {
        start();

        assertThat(output.getOut().split(WARNING)).hasSize(2);
        assertThat(output)
                .contains("The web server has 200 platform threads (server.tomcat.threads.max)")
                .contains("The queue-threshold of the defaults lets");
    }

    @Test
    void theRuleThatLetsSoManyWaitIsNamed(CapturedOutput output) {
        start(
                "server.tomcat.threads.max=10",
                "group-concurrency.defaults.queue-threshold=9",
                "group-concurrency.groups.small.queue-threshold=9",
                "group-concurrency.groups.none.weight=2",
                "group-concurrency.groups.large.queue-threshold=10",
                "group-concurrency.groups[t:*].queue-threshold=11");

        assertThat(output)
                .contains("The web server has 10 platform threads")
                .contains("The queue-threshold of 'large', 't:*' lets");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.threads.virtual.enabled=true",
                "group-concurrency.global.queue-threshold=199",
                "group-concurrency.defaults.queue-threshold=199",
                "group-concurrency.enabled=false"
            })
    void whereOneGroupCannotHoldThemAllThereIsNoWarning(String setting, CapturedOutput output) {
        start(setting);

        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void severalExecutorsAreNoObstacle(CapturedOutput output) {
        new WebServer(Several.class).close();

        assertThat(output).contains("Started").doesNotContain(WARNING);
    }

    @ParameterizedTest
    @ValueSource(classes = {Own.class, Further.class})
    void inAChildContextTheQueuesOfItsDefaultExecutorCount(Class<?> child, CapturedOutput output) {
        try (ConfigurableApplicationContext parent = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--" + NeededAutoConfigurations.SETTING + "=",
                        "--group-concurrency.defaults.queue-threshold=" + (child == Own.class ? 1 : 200))) {
            new ApplicationServer(
                            new SpringApplicationBuilder(child).parent(parent),
                            Stream.of(NeededAutoConfigurations.SETTING + "="))
                    .close();
        }

        assertThat(output).contains(WARNING);
    }

    private static void start(String... settings) {
        new WebServer(Application.class, settings).close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Own {

        @Bean
        GroupExecutor own() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Further {

        @Bean(defaultCandidate = false)
        GroupExecutor further() {
            return GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().globalQueueThreshold(0).build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Several {

        @Bean
        GroupExecutor one() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }

        @Bean
        GroupExecutor two() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }
}
