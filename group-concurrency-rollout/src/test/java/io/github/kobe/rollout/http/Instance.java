package io.github.kobe.rollout.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A real HTTP server that takes a configuration, loads it when told to, and says which version it runs. */
final class Instance implements AutoCloseable {

    /** What is wrong with it. */
    enum Ill {
        WELL,
        /** It says its version only after some questions. */
        SLOW,
        /** It never loads what it is sent. */
        WRONG,
        /** It refuses what it is sent. */
        REFUSING,
        /** It takes a health check and never answers. */
        HANGING
    }

    private static final Pattern VERSION = Pattern.compile("\"version\":\\s*\"?(\\d+)");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private final AtomicInteger laggingAnswers = new AtomicInteger();
    private final Gate never = new Gate();
    private volatile Ill ill;
    /** What came with each key, if it minds; other instances may share it. */
    private volatile @Nullable Map<String, String> requestsByKey;

    private volatile String held = "";
    private volatile Gate gate = never;
    private volatile int presentStatus = 200;
    private volatile int refusal = 503;
    private volatile String retryAfter = "";
    private volatile String redirected = "";
    private volatile String elsewhere = "";
    private volatile int redirectStatus;
    private volatile String sent = "";
    private volatile String loaded = "{\"version\":41}";
    private volatile String answer = "{\"version\":%s,\"status\":\"UP\"}";

    Instance(Ill ill) {
        this.ill = ill;
        laggingAnswers.set(2);
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void become(Ill other) {
        ill = other;
    }

    /** What it runs, and with which status it shows that. */
    void run(String config, int status) {
        loaded = config;
        presentStatus = status;
    }

    /** What it refuses with, and when it may be tried again. */
    void refuseWith(int status, String after) {
        refusal = status;
        retryAfter = after;
    }

    /** From now on it redirects that request to another server. */
    void redirect(String request, int status, String url) {
        redirectStatus = status;
        elsewhere = url;
        redirected = request;
    }

    /** From now on it refuses a key that has come with another request, as the draft of the header demands. */
    void refuseKeysOfOtherRequests(Map<String, String> seen) {
        requestsByKey = seen;
    }

    /** From now on it lets that request wait until it is closed. */
    void hold(String request) {
        hold(request, never);
    }

    /** From now on it lets that request wait at a gate. */
    void hold(String request, Gate at) {
        gate = at;
        held = request;
    }

    void answerWith(String body) {
        answer = body;
    }

    List<String> requests() {
        return requests;
    }

    /** {@return those of each request} */
    List<Map<String, List<String>>> headers() {
        return headers;
    }

    List<String> keys() {
        return keys;
    }

    List<String> tokens() {
        return tokens;
    }

    String loaded() {
        return loaded;
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        headers.add(new Headers(exchange.getRequestHeaders()));
        requests.add(request);
        if (request.equals(held)) {
            remember(exchange);
            waitAt(gate);
        }
        if (isKeyOfAnotherRequest(exchange, url() + " " + request + " " + body)) {
            reply(exchange, 422, "");
            return;
        }
        if (request.equals(redirected)) {
            exchange.getResponseHeaders().set("Location", elsewhere + exchange.getRequestURI());
            reply(exchange, redirectStatus, "");
            return;
        }
        switch (request) {
            case "PUT /config" -> {
                remember(exchange);
                sent = body;
                if (!retryAfter.isEmpty()) {
                    exchange.getResponseHeaders().set("Retry-After", retryAfter);
                }
                reply(exchange, ill == Ill.REFUSING ? refusal : 200, "");
            }
            case "GET /config" -> reply(exchange, presentStatus, presentStatus == 200 ? loaded : "");
            case "POST /config/refresh" -> {
                remember(exchange);
                loaded = ill == Ill.WRONG ? loaded : sent;
                reply(exchange, 204, "");
            }
            default -> health(exchange);
        }
    }

    private void health(HttpExchange exchange) throws IOException {
        if (ill == Ill.HANGING) {
            waitAt(never);
        }
        boolean lags = ill == Ill.SLOW && laggingAnswers.getAndDecrement() > 0;
        Matcher version = VERSION.matcher(lags ? "{\"version\":41}" : loaded);
        reply(exchange, 200, answer.formatted(version.find() ? version.group(1) : "none"));
    }

    private static void waitAt(Gate gate) {
        try {
            gate.pass();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isKeyOfAnotherRequest(HttpExchange exchange, String request) {
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        Map<String, String> seen = requestsByKey;
        return key != null
                && seen != null
                && !request.equals(Objects.requireNonNullElse(seen.putIfAbsent(key, request), request));
    }

    private void remember(HttpExchange exchange) {
        keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
        tokens.add(exchange.getRequestHeaders().getFirst("Rollout-Token"));
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }

    @Override
    public void close() {
        never.open();
        server.stop(0);
        threads.shutdownNow();
    }
}
