package io.github.kobe.spring.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A real server that is called: it answers at once, fails, refuses, or stops before an answer or in the middle of one until a
 * gate opens.
 */
final class Partner implements AutoCloseable {

    final Gate gate = new Gate();
    final Gate asked = new Gate();

    /** With what the next calls of {@code /busy} are refused, one after the other. */
    final Queue<Refusal> refusals = new ConcurrentLinkedQueue<>();

    /** When calls of {@code /busy} came. */
    final List<Long> arrivals = new CopyOnWriteArrayList<>();

    /** When the last of them was refused. */
    final AtomicLong refused = new AtomicLong();

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    Partner() throws IOException {
        server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        server.setExecutor(threads);
        server.createContext("/quick", exchange -> answer(exchange, 200, "quick"));
        server.createContext("/broken", exchange -> answer(exchange, 500, "broken"));
        server.createContext("/halfway", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write("first, ".getBytes(StandardCharsets.US_ASCII));
                body.flush();
                asked.open();
                gate.passStubbornly();
                body.write("second".getBytes(StandardCharsets.US_ASCII));
            }
        });
        server.createContext("/busy", this::answerOrRefuse);
        server.start();
    }

    private void answerOrRefuse(HttpExchange exchange) throws IOException {
        arrivals.add(System.nanoTime());
        Refusal refusal = refusals.poll();
        if (refusal == null) {
            answer(exchange, 200, "at last");
            return;
        }
        if (!refusal.streamed) {
            asked.open();
            gate.passStubbornly();
        }
        if (refusal.retryAfter != null) {
            exchange.getResponseHeaders().set("Retry-After", refusal.retryAfter);
        }
        refused.set(System.nanoTime());
        exchange.sendResponseHeaders(refusal.status, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write("bu".getBytes(StandardCharsets.US_ASCII));
            body.flush();
            gate.passStubbornly();
            body.write("sy".getBytes(StandardCharsets.US_ASCII));
        }
    }

    /**
     * An answer that takes two parts.
     *
     * @param status its status
     * @param retryAfter its header; {@code null}: none
     * @param streamed whether its first part comes before the gate opens
     */
    record Refusal(int status, @Nullable String retryAfter, boolean streamed) {}

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    String url(String path) {
        return "http://localhost:" + server.getAddress().getPort() + path;
    }

    @Override
    public void close() {
        gate.open();
        server.stop(0);
        Deadline.close(threads);
    }
}
