package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * A client with 400 connections that lies about its key, beside ten honest tenants, in a real Tomcat. The application finds
 * out that nobody has such a key when it has done its work. What counts is whose requests are served, of so many, and not how
 * fast.
 */
@Tag("deep")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class FloodOfKeysTests {

    private static final int CONNECTIONS = 400;
    private static final int HONEST = 10;
    private static final int CONNECTIONS_OF_EACH = 4;
    private static final int WARM_UP = 200;
    private static final int COUNTED = 800;
    private static final int STEP = 20;

    /** {@return the share of the honest tenants among the requests that were served} */
    private static double shareOfTheHonest(Supplier<String> keyOfTheLiar, String... ruleSettings) throws Exception {
        String[] settings = Stream.concat(
                        Stream.of(
                                "spring.threads.virtual.enabled=true",
                                "server.tomcat.accept-count=1000",
                                "group-concurrency.global.max-in-flight=20",
                                "group-concurrency.global.queue-threshold=500",
                                "group-concurrency.groups[http:*].max-concurrency=4",
                                "group-concurrency.groups[http:*].queue-threshold=100",
                                "group-concurrency.groups[http:*].queue-timeout=5s",
                                "group-concurrency.web.filter.enabled=true",
                                "group-concurrency.web.filter.rules[0].key-source=header",
                                "group-concurrency.web.filter.rules[0].name=X-Tenant"),
                        Stream.of(ruleSettings).map(setting -> "group-concurrency.web.filter.rules[0]." + setting))
                .toArray(String[]::new);
        HttpClient client = HttpClient.newHttpClient();
        try (WebServer server = new WebServer(Application.class, settings)) {
            Served served = server.bean(Served.class);
            AtomicBoolean over = new AtomicBoolean();
            List<Thread> clients = new ArrayList<>();
            try {
                for (int i = 0; i < HONEST * CONNECTIONS_OF_EACH; i++) {
                    String tenant = "honest-" + i % HONEST;
                    clients.add(client(client, server.address(), over, () -> tenant));
                }
                Deadline.until("each honest tenant was served", () -> served.honest.get() >= 2 * HONEST);
                for (int i = 0; i < CONNECTIONS; i++) {
                    clients.add(client(client, server.address(), over, keyOfTheLiar));
                }
                await(served, WARM_UP);
                int honestBefore = served.honest.get();
                int allBefore = served.all.get();
                await(served, allBefore + COUNTED);
                return (served.honest.get() - honestBefore) / (double) (served.all.get() - allBefore);
            } finally {
                over.set(true);
                for (Thread thread : clients) {
                    assertThat(thread.join(Deadline.LONG)).isTrue();
                }
            }
        } finally {
            client.shutdownNow();
        }
    }

    private static void await(Served served, int number) {
        for (int next = served.all.get() + STEP; next < number + STEP; next += STEP) {
            int some = Math.min(next, number);
            Deadline.until("some more were served", () -> served.all.get() >= some);
        }
    }

    private static Thread client(HttpClient client, URI server, AtomicBoolean over, Supplier<String> key) {
        return Thread.startVirtualThread(() -> {
            while (!over.get()) {
                HttpRequest request = HttpRequest.newBuilder(server.resolve("/work"))
                        .timeout(Deadline.LONG)
                        .header("X-Tenant", key.get())
                        .build();
                try {
                    if (client.send(request, HttpResponse.BodyHandlers.discarding())
                                    .statusCode()
                            == 429) {
                        after(20, "it comes back soon").join();
                    }
                } catch (IOException refused) {
                    // The server may be stopping, or has too many connections for a moment.
                } catch (InterruptedException never) {
                    return;
                }
            }
        });
    }

    private static <T> CompletableFuture<T> after(int millis, T value) {
        return new CompletableFuture<T>().completeOnTimeout(value, millis, TimeUnit.MILLISECONDS);
    }

    private static String madeUp() {
        return UUID.randomUUID().toString();
    }

    @Test
    void whoMakesUpAKeyForEachRequestTakesNearlyAllTurns() throws Exception {
        assertThat(shareOfTheHonest(FloodOfKeysTests::madeUp))
                .as("or the rules of the others were of no use")
                .isLessThan(0.4 * shareOfTheHonest(() -> "liar"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"newcomers=shared", "known-keys-only=true", "max-keys=50"})
    void honestTenantsAreServedAsIfTheLiarHadOneKey(String setting) throws Exception {
        List<String> rounds = new ArrayList<>();
        boolean holds = false;
        // The machine may be busier during one of the two measurements than during the other.
        while (!holds && rounds.size() < 3) {
            double madeUp = shareOfTheHonest(FloodOfKeysTests::madeUp, setting);
            double oneKey = shareOfTheHonest(() -> "liar");
            rounds.add(madeUp + " of " + oneKey);
            holds = madeUp >= 0.8 * oneKey;
        }
        assertThat(holds).as("shares: %s", rounds).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Served.class)
    static class Application {

        @Bean
        KnownGroupKeys honest() {
            return groupKey -> groupKey.startsWith("http:honest-");
        }
    }

    @RestController
    static class Served {

        final AtomicInteger all = new AtomicInteger();
        final AtomicInteger honest = new AtomicInteger();

        @GetMapping("/work")
        CompletableFuture<ResponseEntity<String>> work(@RequestHeader("X-Tenant") String tenant) {
            return after(50, tenant).thenApply(worked -> {
                all.incrementAndGet();
                if (!worked.startsWith("honest-")) {
                    return ResponseEntity.notFound().build();
                }
                honest.incrementAndGet();
                return ResponseEntity.ok("done");
            });
        }
    }
}
