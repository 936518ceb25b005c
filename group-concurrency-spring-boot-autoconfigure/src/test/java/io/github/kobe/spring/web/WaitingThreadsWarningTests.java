package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
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

    private static void start(String... settings) {
        new WebServer(Application.class, settings).close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

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
