package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.ReflectionTestUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

class SchedulerHookTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    @Test
    void itIsThereAsLongAsAContextHasAReactiveMethod() {
        int before = users();
        runner.withBean(Blocking.class).run(context -> assertThat(users()).isEqualTo(before));

        runner.withBean(Reactive.class).run(first -> {
            assertThat(users()).isEqualTo(before + 1);
            runner.withBean(Reactive.class)
                    .run(second -> assertThat(users()).as("of two").isEqualTo(before + 2));
            assertThat(users()).isEqualTo(before + 1);
            assertThat(isHooked()).isTrue();
        });

        assertThat(users()).isEqualTo(before);
        assertThat(isHooked()).isEqualTo(before > 0);
    }

    private static int users() {
        return (int) Objects.requireNonNull(ReflectionTestUtils.getField(SchedulerHook.class, "users"));
    }

    /** Reactor has no method that tells. */
    private static boolean isHooked() {
        Map<?, ?> hooks =
                (Map<?, ?>) Objects.requireNonNull(ReflectionTestUtils.getField(Schedulers.class, "onScheduleHooks"));
        return hooks.keySet().stream().anyMatch(name -> name.toString().startsWith(SchedulerHook.class.getName()));
    }

    static class Blocking {

        @GroupConcurrent("a")
        String now() {
            return "now";
        }
    }

    static class Reactive {

        @GroupConcurrent("a")
        Mono<String> later() {
            return Mono.just("later");
        }
    }
}
