package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.rollout.Stage;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.core.userdetails.UserDetailsService;

/** An application with 10,000 groups under load, its own security and the live page. */
final class LivePageApplication implements AutoCloseable {

    static final int GROUPS = 10_000;

    /** The tenant that no rollout can change. */
    static final String FAILS = "initech";

    private static final int TASKS_AT_ONCE = 25;
    private static final int PAUSE_MILLIS = 5;

    private final List<CompletionStage<GroupPermit>> held = new ArrayList<>();
    private final ScheduledExecutorService clients = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger next = new AtomicInteger();
    private Future<?> load = CompletableFuture.completedFuture(null);
    private final ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.SERVLET)
            .run(
                    "--server.port=0",
                    "--server.servlet.context-path=/shop",
                    "--group-concurrency.dashboard.enabled=true",
                    "--group-concurrency.shutdown.await-termination-period=0s",
                    "--group-concurrency.global.max-in-flight=400",
                    "--group-concurrency.max-idle-groups=20000",
                    "--group-concurrency.defaults.queue-threshold=1000",
                    "--group-concurrency.groups[tenant:*].max-concurrency=4",
                    "--group-concurrency.groups[tenant:*].queue-timeout=30m",
                    "--group-concurrency.groups[partner:*].queue-threshold=2",
                    "--management.endpoints.web.exposure.include=groupexecutor,groupscopes,rollouts",
                    "--group-concurrency.rollout.store=memory",
                    "--management.endpoint.groupexecutor.access=unrestricted");

    GroupExecutor executor() {
        return context.getBean(GroupExecutor.class);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    String address() {
        return "http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port") + "/shop";
    }

    /**
     * Uses each group once, keeps some of them busy, the first most of all, and goes on to use all of them in turn, 5,000
     * times a second, and one that is full.
     */
    void putUnderLoad() throws InterruptedException {
        for (int i = 0; i < GROUPS; i++) {
            executor().submit(key(i), () -> null);
        }
        for (int i = 0; i < 60; i++) {
            occupy(String.format("tenant:busy-%02d", i), 64 - i);
        }
        for (String partner : new String[] {"partner:acme", "partner:hooli"}) {
            executor().setLimits(partner, GroupLimits.unset().withMaxConcurrency(2));
            occupy(partner, 40);
        }
        executor().pause("tenant:busy-03");
        load = clients.scheduleAtFixedRate(
                () -> {
                    executor().acquireAsync("partner:acme");
                    for (int i = 0; i < TASKS_AT_ONCE; i++) {
                        executor().submit(key(next.getAndIncrement() % GROUPS), () -> null);
                    }
                },
                0,
                PAUSE_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private static String key(int number) {
        return String.format("tenant:%05d", number);
    }

    /** Takes permits of a group, or waits for them, by no thread. */
    void occupy(String key, int times) {
        for (int i = 0; i < times; i++) {
            held.add(executor().acquireAsync(key));
        }
    }

    @Override
    public void close() {
        load.cancel(false);
        clients.shutdownNow();
        executor().shutdown();
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(LivePageSecurity.class)
    static class Application {

        @Bean
        Gate gate() {
            return new Gate();
        }

        @Bean
        @Order(1)
        Stage drain() {
            return Stage.named("Drain").step(context -> {
                if (context.tenantId().value().equals(FAILS)) {
                    throw new IllegalStateException("can't be drained");
                }
            });
        }

        @Bean
        @Order(2)
        Stage migrate(Gate gate) {
            return Stage.named("Migrate").step(context -> gate.pass());
        }

        @Bean
        UserDetailsService users() {
            return Operators.users();
        }
    }
}
