package io.github.kobe.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;

/** Tracers that an application has several of. */
class SeveralTracersTests {

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class));

    /** A tracer with a place in the order, and a trace that writes down what it hears. */
    private record Named(String name, int order, List<String> heard) implements TaskTracer, Ordered {

        @Override
        public int getOrder() {
            return order;
        }

        @Override
        public TaskTrace trace(String groupKey, String taskId) {
            return new TaskTrace() {
                @Override
                public <T> Callable<T> around(Callable<T> task) {
                    return () -> {
                        heard.add(name + " begins");
                        T value = task.call();
                        heard.add(name + " ends");
                        return value;
                    };
                }

                @Override
                public void onStarted(long queuedNanos) {
                    heard.add(name + " started");
                }

                @Override
                public void onRejected(RejectionReason reason) {
                    heard.add(name + " " + reason);
                }

                @Override
                public void onCompleted(GroupResult<?> result) {
                    heard.add(name + " " + result.status());
                }
            };
        }
    }

    /** Fails wherever it can. */
    private static final class Failing implements TaskTracer, Ordered {

        @Override
        public int getOrder() {
            return 0;
        }

        @Override
        public TaskTrace trace(String groupKey, String taskId) {
            if (groupKey.equals("untraced")) {
                throw new IllegalStateException("no trace");
            }
            return new TaskTrace() {
                @Override
                public <T> Callable<T> around(Callable<T> task) {
                    throw new IllegalStateException("no wrapper");
                }

                @Override
                public void onStarted(long queuedNanos) {
                    throw new IllegalStateException("not now");
                }

                @Override
                public void onCompleted(GroupResult<?> result) {
                    throw new IllegalStateException("not now");
                }
            };
        }
    }

    private ApplicationContextRunner withTwo() {
        return runner.withBean("second", TaskTracer.class, () -> new Named("second", 2, heard))
                .withBean("first", TaskTracer.class, () -> new Named("first", 1, heard));
    }

    @Test
    void allOfThemFollowTheWorkInTheirOrderTheFirstOutermost() {
        withTwo().run(context -> {
            assertThat(context.getBean(GroupExecutor.class).call("a", () -> "done"))
                    .isEqualTo("done");

            assertThat(heard)
                    .containsExactly(
                            "first started",
                            "second started",
                            "first begins",
                            "second begins",
                            "second ends",
                            "first ends",
                            "first SUCCESS",
                            "second SUCCESS");
        });
    }

    @Test
    void allOfThemHearOfARejection() {
        withTwo()
                .withPropertyValues("group-concurrency.defaults.queue-threshold=0")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.pause("a");

                    executor.submit("a", "1", () -> "never");

                    assertThat(heard).containsExactly("first GROUP_QUEUE_FULL", "second GROUP_QUEUE_FULL");
                });
    }

    @Test
    void oneThatFailsChangesNothingForTheOthersAndTheWork() {
        withTwo().withBean(Failing.class).run(context -> {
            for (String key : List.of("a", "untraced")) {
                heard.clear();
                assertThat(context.getBean(GroupExecutor.class).call(key, () -> "done"))
                        .isEqualTo("done");

                assertThat(heard)
                        .containsExactly(
                                "first started",
                                "second started",
                                "first begins",
                                "second begins",
                                "second ends",
                                "first ends",
                                "first SUCCESS",
                                "second SUCCESS");
            }
        });
    }
}
