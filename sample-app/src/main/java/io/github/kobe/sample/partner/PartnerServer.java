package io.github.kobe.sample.partner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A partner's API, on a port of this machine: {@code GET /rates/{tenant}} gives exchange rates, {@code /bank},
 * {@code /register} and {@code /court} what these know of a tenant, {@code /archive} a document, and {@code /vat} whether a
 * VAT number is valid. Each answers in its own time; the one that {@code ?slow=} names takes five seconds longer, and the
 * archive always takes longer. It works on so many requests at a time, whoever they are for; the others wait in line. Beyond
 * a quota, {@code /vat} answers 429 at once.
 */
final class PartnerServer implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(PartnerServer.class);
    private static final Duration SLOWER_BY = Duration.ofSeconds(5);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Pace pace;
    private final Semaphore places;
    private final TrafficCount traffic;

    /** Starts it on a port; 0: any that is free. */
    PartnerServer(int port, Pace pace, Duration archiveSlowerBy, int places, TrafficCount traffic, Quota vatQuota)
            throws IOException {
        this.pace = pace;
        this.places = new Semaphore(places, true);
        this.traffic = traffic;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(threads);
        offer("rates", "application/json", "{\"EUR\": 1.25, \"GBP\": 1.5, \"USD\": 1}", Duration.ZERO);
        offer("bank", "text/plain", "pays in time", Duration.ZERO);
        offer("register", "text/plain", "founded in 1999", Duration.ZERO);
        offer("court", "text/plain", "nothing known", Duration.ZERO);
        offer("archive", "text/plain", "a page of an old contract", archiveSlowerBy);
        offer("vat", "text/plain", PartnerClient.VALID, Duration.ZERO, vatQuota::take);
        server.start();
        LOGGER.info("The partner listens at {}", address());
    }

    String address() {
        InetSocketAddress bound = server.getAddress();
        return "http://" + bound.getHostString() + ":" + bound.getPort();
    }

    private void offer(String service, String type, String text, Duration slowerBy) {
        offer(service, type, text, slowerBy, tenant -> Optional.empty());
    }

    /** Offers a service that says of a request in how long it would take it, if not now. */
    private void offer(
            String service, String type, String text, Duration slowerBy, Function<String, Optional<Duration>> refusal) {
        String path = "/" + service + "/";
        byte[] answer = text.getBytes(UTF_8);
        server.createContext(path, exchange -> {
            String tenant = exchange.getRequestURI().getPath().substring(path.length());
            Optional<Duration> refused = refusal.apply(tenant);
            if (refused.isPresent()) {
                refuse(exchange, refused.get());
                return;
            }
            boolean slow = ("slow=" + service).equals(exchange.getRequestURI().getQuery());
            traffic.arrived(tenant);
            places.acquireUninterruptibly();
            var unused = pace.answer(tenant)
                    .thenCompose(due -> after(slow ? SLOWER_BY : slowerBy))
                    .thenRunAsync(() -> answer(exchange, tenant, type, answer), threads);
        });
    }

    private static CompletionStage<Void> after(Duration time) {
        return new CompletableFuture<Void>().completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void answer(HttpExchange exchange, String tenant, String type, byte[] answer) {
        // Both before it leaves: whoever has the answer may be back with the next request at once.
        places.release();
        traffic.answered(tenant);
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        } catch (IOException gone) {
            LOGGER.debug("Nobody waits for the answer about {} any more", tenant, gone);
        }
    }

    private static void refuse(HttpExchange exchange, Duration retryAfter) throws IOException {
        try (exchange) {
            long seconds = retryAfter.plusSeconds(1).minusNanos(1).toSeconds();
            exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds));
            exchange.sendResponseHeaders(429, -1);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
