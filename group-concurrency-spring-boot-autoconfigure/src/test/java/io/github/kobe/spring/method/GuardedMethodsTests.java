package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** What is worked out once, and what a call still costs. */
class GuardedMethodsTests {

    private static final AutoConfigurations OURS = AutoConfigurations.of(
            GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class);

    @Test
    void theExecutorIsLookedForOnceForAllMethodsThatNameNone() {
        int forOne = walksFor(One.class);

        assertThat(walksFor(One.class, Many.class, ManyMore.class)).isEqualTo(forOne);
    }

    /** {@return how often all bean definitions are gone through for an executor} */
    private static int walksFor(Class<?>... beans) {
        AtomicInteger walks = new AtomicInteger();
        DefaultListableBeanFactory counting = new DefaultListableBeanFactory() {
            @Override
            public String[] getBeanNamesForType(Class<?> type, boolean nonSingletons, boolean eager) {
                if (type == GroupExecutor.class && !eager) {
                    walks.incrementAndGet();
                }
                return super.getBeanNamesForType(type, nonSingletons, eager);
            }
        };
        ApplicationContextRunner runner = new ApplicationContextRunner(
                        () -> new AnnotationConfigApplicationContext(counting))
                .withConfiguration(OURS);
        for (Class<?> bean : beans) {
            runner = runner.withBean(bean);
        }
        runner.run(context -> assertThat(context).hasNotFailed());
        return walks.get();
    }

    @Test
    @Tag("once")
    void anArgumentAsTheKeyCostsNoMoreMemoryThanALiteral() {
        new ApplicationContextRunner()
                .withConfiguration(OURS)
                .withBean(Called.class)
                .run(context -> {
                    Called called = context.getBean(Called.class);
                    long literal = bytesOf(called::literal);

                    assertThat(bytesOf(() -> called.argument("a"))).isBetween(literal, literal + 32);
                    // A text of its own, of some letters.
                    assertThat(bytesOf(() -> called.template("a"))).isLessThan(literal + 120);
                });
    }

    /** {@return what a call allocates on its thread, without what is made once} */
    private static long bytesOf(Runnable call) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        int calls = 1_000;
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / calls;
    }

    static class One {
        @GroupConcurrent(group = "a")
        void work() {}
    }

    @GroupConcurrent(group = "a")
    static class Many {
        void first() {}

        void second() {}

        void third() {}
    }

    @GroupConcurrent(group = "a")
    static class ManyMore {
        void first() {}

        void second() {}
    }

    static class Called {
        @GroupConcurrent(group = "a")
        void literal() {}

        @GroupConcurrent(group = "#key")
        void argument(String key) {}

        @GroupConcurrent(group = "tenant:#{#key}")
        void template(String key) {}
    }
}
