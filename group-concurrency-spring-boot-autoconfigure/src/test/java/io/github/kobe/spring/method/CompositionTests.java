package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.testing.Deadline;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.method.AuthorizationManagerBeforeMethodInterceptor;
import org.springframework.security.core.context.SecurityContextHolder;

/** The limit beside Spring's other annotations, in any scope, and by annotations of the application's own. */
@ExtendWith(OutputCaptureExtension.class)
class CompositionTests {

    private static final GroupLimits NO_WAIT =
            GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    @Test
    void anAsyncMethodWaitsForItsTurnOnItsOwnThread() {
        runner.withUserConfiguration(AsyncConfiguration.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Mails mails = context.getBean(Mails.class);
            executor.pause("mails");

            CompletableFuture<Thread> sent = mails.send();

            Deadline.until("one in the queue", () -> queued(executor, "mails") == 1);
            executor.resume("mails");
            assertThat(sent.get(Deadline.SECONDS, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
            assertThat(submitted(executor, "mails")).isEqualTo(1);
        });
    }

    @Test
    void aVoidAsyncMethodRunsOnTheThreadThatWaited() {
        runner.withUserConfiguration(AsyncConfiguration.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            CompletableFuture<String> thread = new CompletableFuture<>();

            context.getBean(Mails.class).sendAndForget(thread);

            assertThat(thread.get(Deadline.SECONDS, TimeUnit.SECONDS)).startsWith("async-");
            // Its end is counted before its permit is back; in between it would be counted twice.
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
            assertThat(submitted(executor, "mails")).isEqualTo(1);
        });
    }

    @Test
    void aCachedAnswerWaitsForItsTurnTooWhichIsTold(CapturedOutput output) {
        runner.withUserConfiguration(CachingConfiguration.class).run(context -> {
            assertThat(output).containsOnlyOnce("Prices.of(String) has a limit and, within it, a cache");
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Prices prices = context.getBean(Prices.class);
            assertThat(prices.of("tea")).isEqualTo(1);
            assertThat(prices.of("tea")).isEqualTo(1);
            assertThat(submitted(executor, "prices")).isEqualTo(2);

            executor.setLimits("prices", NO_WAIT);
            executor.pause("prices");

            assertThatExceptionOfType(RejectedTaskException.class).isThrownBy(() -> prices.of("tea"));
        });
    }

    @Test
    void aCacheFurtherOutAnswersWithoutAPermit(CapturedOutput output) {
        runner.withUserConfiguration(OuterCachingConfiguration.class).run(context -> {
            assertThat(output).doesNotContain("has a limit and, within it, a cache");
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Prices prices = context.getBean(Prices.class);
            assertThat(prices.of("tea")).isEqualTo(1);
            executor.setLimits("prices", NO_WAIT);
            executor.pause("prices");

            assertThat(prices.of("tea")).isEqualTo(1);
            assertThat(submitted(executor, "prices")).isEqualTo(1);
        });
    }

    @Test
    void whoMayNotCallTakesNoTurn() {
        runner.withUserConfiguration(SecurityConfiguration.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Accounts accounts = context.getBean(Accounts.class);
            executor.setLimits("accounts", NO_WAIT);
            try {
                SecurityContextHolder.getContext().setAuthentication(userWith("ROLE_USER"));
                assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(accounts::close);
                assertThat(submitted(executor, "accounts")).isZero();

                SecurityContextHolder.getContext().setAuthentication(userWith("ROLE_ADMIN"));
                assertThat(accounts.close()).isEqualTo("closed by user");
                assertThat(submitted(executor, "accounts")).isEqualTo(1);
            } finally {
                SecurityContextHolder.clearContext();
            }
        });
    }

    private static TestingAuthenticationToken userWith(String role) {
        return new TestingAuthenticationToken("user", "", role);
    }

    @ParameterizedTest
    @ValueSource(strings = {"prototype", "thread"})
    void beansOfAnyScopeShareTheLimitOfTheirGroup(String scope) {
        runner.withUserConfiguration(ScopedConfiguration.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            Counting first = context.getBean(scope, Counting.class);
            Counting second = context.getBean(scope, Counting.class);
            executor.pause("counting");
            FutureTask<Integer> one = new FutureTask<>(first::count);
            FutureTask<Integer> other = new FutureTask<>(second::count);
            Thread.startVirtualThread(one);
            Thread.startVirtualThread(other);

            Deadline.until("both in the queue", () -> queued(executor, "counting") == 2);

            executor.resume("counting");
            // An object each: they counted for themselves.
            assertThat(one.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(other.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(submitted(executor, "counting")).isEqualTo(2);
        });
    }

    @Test
    void anAnnotationOfTheApplicationsOwnCanPassItsAttributesOn() {
        runner.withBean(PerTenant.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            PerTenant tenants = context.getBean(PerTenant.class);
            assertThat(tenants.build("a")).isEqualTo("built");

            executor.setLimits("reports:a", NO_WAIT);
            executor.pause("reports:a");

            assertThat(tenants.build("a")).isEqualTo("busy");
        });
    }

    @Test
    void anAnnotationOfTheApplicationsOwnCanSetOneAttributeByAnother() {
        runner.withBean(
                        "further",
                        GroupExecutor.class,
                        () -> GroupExecutor.newVirtualThreadExecutor(
                                GroupPolicy.builder().build()),
                        definition -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false))
                .withBean(
                        "groupExecutor",
                        GroupExecutor.class,
                        () -> GroupExecutor.newVirtualThreadExecutor(
                                GroupPolicy.builder().build()))
                .withBean(PerHost.class)
                .run(context -> {
                    PerHost hosts = context.getBean(PerHost.class);
                    GroupExecutor further = context.getBean("further", GroupExecutor.class);
                    assertThat(hosts.fetch("a.example")).isEqualTo("fetched");
                    assertThat(further.groupKeys()).containsExactly("host:a.example");

                    further.pause("host:a.example");

                    assertThatExceptionOfType(RejectedTaskException.class)
                            .isThrownBy(() -> hosts.fetch("a.example"))
                            .satisfies(rejection ->
                                    assertThat(rejection.reason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT));
                });
    }

    @Test
    void aGenericInterfacesAnnotationKnowsTheArgumentsOfItsImplementation() {
        runner.withBean(OrderHandler.class).run(context -> {
            @SuppressWarnings("unchecked")
            Handler<Order> handler = context.getBean(Handler.class);

            handler.handle(new Order("17"));

            assertThat(context.getBean(GroupExecutor.class).groupKeys()).containsExactly("order:17");
        });
    }

    private static int queued(GroupExecutor executor, String group) {
        return executor.groupStats(group).map(stats -> stats.queued()).orElse(0);
    }

    private static long submitted(GroupExecutor executor, String group) {
        return executor.groupStats(group)
                .map(stats -> stats.totals().submitted())
                .orElse(0L);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncConfiguration {

        @Bean
        TaskExecutor taskExecutor() {
            return new SimpleAsyncTaskExecutor("async-");
        }

        @Bean
        Mails mails() {
            return new Mails();
        }
    }

    static class Mails {

        @Async
        @GroupConcurrent(group = "mails")
        CompletableFuture<Thread> send() {
            return CompletableFuture.completedFuture(Thread.currentThread());
        }

        @Async
        @GroupConcurrent(group = "mails")
        void sendAndForget(CompletableFuture<String> thread) {
            thread.complete(Thread.currentThread().getName());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class CachingConfiguration {

        @Bean
        CacheManager cacheManager() {
            return new ConcurrentMapCacheManager("prices");
        }

        @Bean
        Prices prices() {
            return new Prices();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(order = 0)
    static class OuterCachingConfiguration {

        @Bean
        CacheManager cacheManager() {
            return new ConcurrentMapCacheManager("prices");
        }

        @Bean
        Prices prices() {
            return new Prices();
        }
    }

    static class Prices {

        private final AtomicInteger asked = new AtomicInteger();

        @Cacheable("prices")
        @GroupConcurrent(group = "prices")
        int of(String article) {
            return asked.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SecurityConfiguration {

        /** What {@code @EnableMethodSecurity} registers. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor preAuthorize() {
            return AuthorizationManagerBeforeMethodInterceptor.preAuthorize();
        }

        @Bean
        Accounts accounts() {
            return new Accounts();
        }
    }

    static class Accounts {

        @PreAuthorize("hasRole('ADMIN')")
        @GroupConcurrent(group = "accounts")
        String close() {
            return "closed by "
                    + SecurityContextHolder.getContext().getAuthentication().getName();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedConfiguration {

        @Bean
        static CustomScopeConfigurer scopes() {
            CustomScopeConfigurer scopes = new CustomScopeConfigurer();
            scopes.addScope("thread", new SimpleThreadScope());
            return scopes;
        }

        @Bean
        @Scope("prototype")
        Counting prototype() {
            return new Counting();
        }

        @Bean
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Counting thread() {
            return new Counting();
        }
    }

    static class Counting {

        private final AtomicInteger calls = new AtomicInteger();

        @GroupConcurrent(group = "counting")
        int count() {
            return calls.incrementAndGet();
        }
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @GroupConcurrent(group = "unset", queueTimeout = "5s")
    @interface Limited {

        @AliasFor(annotation = GroupConcurrent.class, attribute = "group")
        String value();

        @AliasFor(annotation = GroupConcurrent.class)
        String fallbackMethod() default "";
    }

    static class PerTenant {

        @Limited(value = "reports:#{#tenantId}", fallbackMethod = "busy")
        String build(String tenantId) {
            return "built";
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // found by its name
        private String busy(String tenantId) {
            return "busy";
        }
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @GroupConcurrent
    @interface CallsHost {

        @AliasFor(annotation = GroupConcurrent.class, attribute = "value")
        String key();

        @AliasFor(annotation = GroupConcurrent.class, attribute = "queueTimeout")
        String patience();

        @AliasFor(annotation = GroupConcurrent.class)
        String executor() default "";
    }

    static class PerHost {

        @CallsHost(key = "host:#{#name}", patience = "1ms", executor = "further")
        String fetch(String name) {
            return "fetched";
        }
    }

    interface Handler<T> {

        @GroupConcurrent(group = "order:#{#p0.id()}")
        void handle(T what);
    }

    record Order(String id) {}

    static class OrderHandler implements Handler<Order> {

        @Override
        public void handle(Order order) {}
    }
}
