package io.github.kobe.spring.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real server that is called: it answers at once, fails, or stops in the middle of an answer until a gate opens. */
final class Partner implements AutoCloseable {

    final Gate gate = new Gate();
    final Gate asked = new Gate();
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
        server.start();
    }

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
