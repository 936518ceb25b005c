package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.sample.partner.Pace;
import io.github.kobe.sample.partner.Traffic;
import io.github.kobe.sample.partner.TrafficCount;
import io.github.kobe.testing.Deadline;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** The whole application on a free port, with a partner whose answers are held back, and clients that talk to it. */
final class RunningSample implements AutoCloseable {

    // Nothing that a gate holds may run into a time-out on a slow machine.
    private static final List<String> OF_EVERY_TEST =
            List.of("server.port=0", "spring.main.banner-mode=off", "group-concurrency.defaults.queue-timeout=1m");
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private static final AtomicInteger TENANTS = new AtomicInteger();

    private final GatedPartner partner = new GatedPartner();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ConfigurableApplicationContext context;
    private final int port;
    private final String address;

    private RunningSample(Consumer<GenericApplicationContext> extension, String... settings) {
        String[] arguments = Stream.concat(OF_EVERY_TEST.stream(), Stream.of(settings))
                .map(setting -> "--" + setting)
                .toArray(String[]::new);
        context = new SpringApplicationBuilder(SampleApplication.class)
                .initializers((GenericApplicationContext fresh) -> {
                    fresh.registerBean("gatedPartner", Pace.class, () -> partner, bean -> bean.setPrimary(true));
                    extension.accept(fresh);
                })
                .run(arguments);
        port = ((WebServerApplicationContext) context).getWebServer().getPort();
        address = "http://localhost:" + port;
    }

    /** Starts the application with settings of the test's own, each as {@code name=value}. */
    static RunningSample start(String... settings) {
        return new RunningSample(fresh -> {}, settings);
    }

    static RunningSample startWith(Consumer<GenericApplicationContext> extension, String... settings) {
        return new RunningSample(extension, settings);
    }

    /** {@return a tenant of a test's own, with orders as the others have} */
    String newTenant(String prefix) {
        String tenant = prefix + "tenant-" + TENANTS.incrementAndGet();
        bean(JdbcClient.class)
                .sql("INSERT INTO orders (tenant, period, currency, amount)"
                        + " SELECT CAST(? AS VARCHAR), period, currency, amount FROM orders WHERE tenant = 'acme'")
                .param(tenant)
                .update();
        return tenant;
    }

    /** Lets all come to its end that a test has begun, and then holds the partner's answers back for the next one. */
    void settle() throws InterruptedException {
        partner.open();
        assertThat(bean(GroupExecutor.class).awaitQuiet(Deadline.LONG)).isTrue();
        partner.shut();
    }

    String address() {
        return address;
    }

    GatedPartner partner() {
        return partner;
    }

    int port() {
        return port;
    }

    /** The partner's own count of a tenant's requests. */
    Traffic traffic(String tenant) {
        return bean(TrafficCount.class).of(tenant);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    CompletableFuture<Reply> sendGet(String path) {
        return send(request(path).GET());
    }

    CompletableFuture<Reply> sendPost(String path) {
        return send(request(path).POST(BodyPublishers.noBody()));
    }

    /** Asks for reports of a tenant, from that many clients at once. */
    List<CompletableFuture<Reply>> sendReports(int clients, String tenant) {
        return IntStream.range(0, clients)
                .mapToObj(client -> sendPost("/tenants/" + tenant + "/reports"))
                .toList();
    }

    Reply get(String path) {
        return sendGet(path).join();
    }

    Reply post(String path) {
        return sendPost(path).join();
    }

    Reply post(String path, String json) {
        return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)))
                .join();
    }

    Reply delete(String path) {
        return send(request(path).DELETE()).join();
    }

    /** What the endpoint shows of a group. */
    JsonNode group(String key) {
        return get("/actuator/groupexecutor/" + key).json();
    }

    /** Waits until so many requests wait in a group that is in use. */
    void awaitQueued(String key, int queued) {
        Deadline.until(() -> queued + " in the queue of " + key + ", but " + queued(key), () -> queued(key) == queued);
    }

    private int queued(String key) {
        return bean(GroupExecutor.class).groupStats(key).map(GroupStats::queued).orElse(-1);
    }

    void awaitHeld(int requests) {
        Deadline.until(() -> requests + " at the partner, but " + partner.held(), () -> partner.held() == requests);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path)).timeout(TIMEOUT);
    }

    private CompletableFuture<Reply> send(HttpRequest.Builder request) {
        return http.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(Reply::of);
    }

    void stop() {
        context.close();
    }

    @Override
    public void close() {
        partner.open();
        stop();
        Deadline.close(http);
    }
}
