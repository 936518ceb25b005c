package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.testing.Deadline;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.ThreadLocalAccessor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

/** What goes along from the submitting thread to the task's, with real carriers of context. */
@Tag("T1")
class ContextPropagationTests {

    private static final String KEY = "io.github.kobe.test.user";
    private static final ThreadLocal<String> USER = new ThreadLocal<>();
    private static final AtomicInteger CAPTURES = new AtomicInteger();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    /** An application's own accessor of a thread-local. */
    private static final class UserAccessor implements ThreadLocalAccessor<String> {

        @Override
        public Object key() {
            return KEY;
        }

        @Override
        public String getValue() {
            CAPTURES.incrementAndGet();
            return USER.get();
        }

        @Override
        public void setValue(String value) {
            USER.set(value);
        }

        @Override
        public void setValue() {
            USER.remove();
        }
    }

    @BeforeEach
    void logIn() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(new UserAccessor());
        USER.set("ada");
        CAPTURES.set(0);
    }

    @AfterEach
    void logOut() {
        ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
        USER.remove();
        SecurityContextHolder.clearContext();
    }

    private static <T> GroupResult<T> run(GroupExecutor executor, Callable<T> task) throws InterruptedException {
        return executor.submit("g", "1", task).await();
    }

    @Test
    void anApplicationsOwnThreadLocalReachesTheTask() {
        runner.run(context -> assertThat(
                        run(context.getBean(GroupExecutor.class), USER::get).value())
                .isEqualTo("ada"));
    }

    @Test
    void theCurrentObservationReachesTheTask() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(handled -> true);
        runner.run(context -> {
            Observation request = Observation.start("request", registry);
            try (Observation.Scope scope = request.openScope()) {
                assertThat(scope.getCurrentObservation()).isSameAs(request);
                assertThat(run(context.getBean(GroupExecutor.class), registry::getCurrentObservation)
                                .value())
                        .isSameAs(request);
            } finally {
                request.stop();
            }
        });
    }

    @Test
    void theSecurityContextReachesTheTask() {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ada", "secret"));
        runner.run(context -> assertThat(run(
                                context.getBean(GroupExecutor.class),
                                () -> SecurityContextHolder.getContext()
                                        .getAuthentication()
                                        .getName())
                        .value())
                .isEqualTo("ada"));
    }

    @Test
    void aDispatchedMethodHasTheContextOfItsCaller() {
        runner.withBean(Exports.class).run(context -> {
            CompletableFuture<String> user = context.getBean(Exports.class).user();

            assertThat(user.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("ada");
        });
    }

    @Test
    void theThreadHasNoneOfItLeftWhenTheTaskHasEndedHoweverItEnds() {
        runner.withBean(AfterTheTask.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ada", "secret"));

            assertThat(run(executor, USER::get).value()).isEqualTo("ada");
            assertThat(run(executor, () -> {
                                assertThat(USER.get()).isEqualTo("ada");
                                throw new IOException("disk");
                            })
                            .error())
                    .isInstanceOf(IOException.class);

            assertThat(context.getBean(AfterTheTask.class).left).containsExactly("null, null", "null, null");
        });
    }

    @Test
    void theGlobalRegistryIsLeftAsItIs() {
        List<ThreadLocalAccessor<?>> before =
                List.copyOf(ContextRegistry.getInstance().getThreadLocalAccessors());
        runner.run(context -> {
            run(context.getBean(GroupExecutor.class), USER::get);
            assertThat(ContextRegistry.getInstance().getThreadLocalAccessors()).isEqualTo(before);
        });
    }

    @Test
    void withNothingRegisteredThereIsNoSnapshot() {
        ContextRegistry registry = ContextRegistry.getInstance();
        List<ThreadLocalAccessor<?>> registered = List.copyOf(registry.getThreadLocalAccessors());
        Callable<String> task = () -> "done";
        runner.run(context -> {
            SpringTaskDecorator decorator = context.getBean(SpringTaskDecorator.class);
            assertThat(decorator.decorate("a", task)).isNotSameAs(task);
            try {
                registered.forEach(accessor -> registry.removeThreadLocalAccessor(accessor.key()));
                assertThat(decorator.decorate("a", task)).isSameAs(task);
            } finally {
                registered.forEach(registry::registerThreadLocalAccessor);
            }
        });
    }

    @Test
    void workOnTheCallersThreadIsNotTouched() {
        runner.run(context -> {
            assertThat(context.getBean(GroupExecutor.class).call("g", USER::get))
                    .isEqualTo("ada");

            assertThat(CAPTURES).hasValue(0);
        });
    }

    @Test
    void aTaskThatItsCallerRunsLeavesTheCallersContextAsItWas() {
        runner.withPropertyValues(
                        "group-concurrency.rejection-policy=caller-runs",
                        "group-concurrency.defaults.queue-threshold=0")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.pause("g");

                    run(executor, () -> {
                        USER.set("bob");
                        return null;
                    });

                    assertThat(USER.get()).isEqualTo("ada");
                });
    }

    @Test
    void springsTaskDecoratorsWrapTheTaskInTheirOrderTheFirstInnermost() {
        runner.withUserConfiguration(TwoDecorators.class).run(context -> {
            assertThat(run(context.getBean(GroupExecutor.class), () -> "done").value())
                    .isEqualTo("done");

            assertThat(context.getBean(TwoDecorators.class).steps)
                    .containsExactly(
                            "decorate 1", "decorate 2", "begin 2 for ada", "begin 1 for ada", "end 1", "end 2");
        });
    }

    @Test
    void aTaskDecoratorThatCapturesTheContextReplacesOurSnapshot() {
        runner.run(context -> {
            run(context.getBean(GroupExecutor.class), () -> "done");
        });
        int alone = CAPTURES.getAndSet(0);
        runner.withBean(TaskDecorator.class, ContextPropagatingTaskDecorator::new)
                .run(context -> {
                    assertThat(run(context.getBean(GroupExecutor.class), USER::get)
                                    .value())
                            .isEqualTo("ada");

                    assertThat(CAPTURES).hasValue(alone);
                });
    }

    @Test
    void theTasksExceptionPassesTheDecoratorsByAndIsTheSame() {
        IOException thrown = new IOException("disk");
        runner.withUserConfiguration(TwoDecorators.class).run(context -> {
            GroupResult<Object> result = run(context.getBean(GroupExecutor.class), () -> {
                throw thrown;
            });

            assertThat(result.error()).isSameAs(thrown);
            assertThat(context.getBean(TwoDecorators.class).steps).endsWith("end 1", "end 2");
        });
    }

    @Test
    void aTaskWhoseDecoratorDoesNotRunItFails() {
        TaskDecorator forgetful = task -> () -> {};
        runner.withBean(TaskDecorator.class, () -> forgetful).run(context -> {
            GroupResult<String> result = run(context.getBean(GroupExecutor.class), () -> "never");

            assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(result.error()).hasMessageContaining("TaskDecorator");
        });
    }

    @Test
    void onePropertySwitchesAllOfItOff() {
        runner.withUserConfiguration(TwoDecorators.class)
                .withPropertyValues("group-concurrency.context-propagation.enabled=false")
                .run(context -> {
                    assertThat(run(context.getBean(GroupExecutor.class), USER::get)
                                    .value())
                            .isNull();
                    assertThat(context.getBean(TwoDecorators.class).steps).isEmpty();
                    assertThat(CAPTURES).hasValue(0);
                });
    }

    @Test
    void withoutContextPropagationOnTheClassPathSpringsDecoratorsAreHonouredAlone() {
        runner.withClassLoader(new FilteredClassLoader(ContextSnapshotFactory.class))
                .withUserConfiguration(TwoDecorators.class)
                .run(context -> {
                    TaskHandle<String> handle =
                            context.getBean(GroupExecutor.class).submit("g", "1", USER::get);

                    assertThat(handle.await().value()).isNull();
                    assertThat(CAPTURES).hasValue(0);
                    assertThat(context.getBean(TwoDecorators.class).steps)
                            .containsExactly(
                                    "decorate 1",
                                    "decorate 2",
                                    "begin 2 for null",
                                    "begin 1 for null",
                                    "end 1",
                                    "end 2");
                });
    }

    static class Exports {

        @GroupConcurrent(group = "exports")
        CompletableFuture<String> user() {
            return CompletableFuture.completedFuture(USER.get());
        }
    }

    /** Looks at the task's thread when the task's code has ended. */
    static final class AfterTheTask implements TaskLifecycleListener {

        final List<String> left = new CopyOnWriteArrayList<>();

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            left.add(USER.get() + ", " + SecurityContextHolder.getContext().getAuthentication());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDecorators {

        final List<String> steps = new CopyOnWriteArrayList<>();

        @Bean
        @Order(2)
        TaskDecorator second() {
            return task -> around("2", task);
        }

        @Bean
        @Order(1)
        TaskDecorator first() {
            return task -> around("1", task);
        }

        private Runnable around(String name, Runnable task) {
            steps.add("decorate " + name);
            return () -> {
                steps.add("begin " + name + " for " + USER.get());
                try {
                    task.run();
                } finally {
                    steps.add("end " + name);
                }
            };
        }
    }
}
