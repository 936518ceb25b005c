package io.github.kobe.sample.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.sample.fleet.Receipt.Effect;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One server of a tenant: {@code PUT /config} hands it a configuration, {@code POST /config/refresh} has it run that, and
 * {@code GET /health} says which version it runs. What it is told with the same key once more it has
 * done already, and it does nothing for one whose token is lower than another that it has seen.
 */
final class FleetServer implements AutoCloseable {

    private static final Pattern VERSION = Pattern.compile("\"version\": *(\\d+)");

    private final String tenant;
    private final String name;
    private final Pace pace;
    private final Receipts receipts;
    private final Executor threads;
    private final int port;
    private final Set<String> done = new HashSet<>();
    private Behaviour behaviour;
    private @Nullable HttpServer server;
    private String running;
    private String sent;
    private long runsSentAt = Long.MAX_VALUE;
    private long highestToken;

    FleetServer(
            String tenant,
            String name,
            Behaviour behaviour,
            String version,
            Pace pace,
            Receipts receipts,
            Executor threads)
            throws IOException {
        this.tenant = tenant;
        this.name = name;
        this.behaviour = behaviour;
        this.pace = pace;
        this.receipts = receipts;
        this.threads = threads;
        running = version;
        sent = version;
        server = listen(0);
        port = server.getAddress().getPort();
        if (behaviour == Behaviour.DOWN) {
            close();
        }
    }

    private HttpServer listen(int wanted) throws IOException {
        HttpServer listening = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), wanted), 0);
        listening.setExecutor(threads);
        listening.createContext("/", this::handle);
        listening.start();
        return listening;
    }

    String tenant() {
        return tenant;
    }

    String name() {
        return name;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    synchronized Behaviour behaviour() {
        return behaviour;
    }

    /** Behaves otherwise from now on; keeps its address and its configuration. */
    synchronized void become(Behaviour other) throws IOException {
        behaviour = other;
        if (other == Behaviour.DOWN) {
            close();
        } else if (server == null) {
            server = listen(port);
        }
    }

    /** {@return the version that it runs} */
    synchronized String version() {
        if (System.nanoTime() - runsSentAt >= 0) {
            running = sent;
        }
        return running;
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        if (request.equals("GET /health")) {
            if (behaviour() != Behaviour.HANG) {
                reply(exchange, 200, "{\"version\": " + version() + "}");
            }
            return;
        }
        Effect effect = take(request, body, Order.of(exchange.getRequestHeaders()));
        switch (effect) {
            case DONE -> {
                long millis = request.equals("PUT /config") ? pace.answer().toMillis() : 0;
                CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, threads)
                        .execute(() -> reply(exchange, 200, ""));
            }
            case KNOWN -> reply(exchange, 200, "");
            case REFUSED -> reply(exchange, 409, "");
            case NONE -> {
                // The connection stays open, and nothing ever comes.
            }
        }
    }

    private synchronized Effect take(String request, String body, Order order) {
        Effect effect = effect(request, order);
        if (effect == Effect.DONE) {
            if (request.equals("PUT /config")) {
                Matcher version = VERSION.matcher(body);
                sent = version.find() ? version.group(1) : "none";
                runsSentAt = Long.MAX_VALUE;
            } else {
                load();
            }
        }
        receipts.add(this, request, sent, order, effect);
        return effect;
    }

    private Effect effect(String request, Order order) {
        if (behaviour == Behaviour.HANG) {
            return Effect.NONE;
        }
        if (order.token() < highestToken) {
            return Effect.REFUSED;
        }
        highestToken = order.token();
        return done.add(request + " " + order.key()) ? Effect.DONE : Effect.KNOWN;
    }

    private void load() {
        switch (behaviour) {
            case LAG -> runsSentAt = System.nanoTime() + pace.lag().toNanos();
            case WRONG -> {
                // It goes on with what it has.
            }
            default -> running = sent;
        }
    }

    private static void reply(HttpExchange exchange, int status, String text) {
        byte[] body = text.getBytes(UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        } catch (IOException gone) {
            // Whoever asked was killed in the meantime: that is what the fleet is here to see.
        }
    }

    @Override
    public synchronized void close() {
        if (server != null) {
            server.stop(0);
            server = null;
        }
    }
}
