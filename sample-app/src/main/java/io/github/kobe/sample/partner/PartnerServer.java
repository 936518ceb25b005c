package io.github.kobe.sample.partner;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A partner's API, on a free port of this machine: {@code GET /rates/{tenant}} gives exchange rates, in its own time. */
final class PartnerServer implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(PartnerServer.class);
    private static final String PATH = "/rates/";
    private static final byte[] RATES = "{\"EUR\": 1.25, \"GBP\": 1.5, \"USD\": 1}".getBytes(UTF_8);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Pace pace;
    private final TrafficCount traffic;

    PartnerServer(Pace pace, TrafficCount traffic) throws IOException {
        this.pace = pace;
        this.traffic = traffic;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext(PATH, this::receive);
        server.start();
        LOGGER.info("The partner listens at {}", address());
    }

    String address() {
        InetSocketAddress bound = server.getAddress();
        return "http://" + bound.getHostString() + ":" + bound.getPort();
    }

    private void receive(HttpExchange exchange) {
        String tenant = exchange.getRequestURI().getPath().substring(PATH.length());
        traffic.arrived(tenant);
        var unused = pace.answer(tenant).thenRunAsync(() -> answer(exchange, tenant), threads);
    }

    private void answer(HttpExchange exchange, String tenant) {
        // Counted before it leaves: whoever has the answer may be back with the next request at once.
        traffic.answered(tenant);
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, RATES.length);
            exchange.getResponseBody().write(RATES);
        } catch (IOException gone) {
            LOGGER.debug("Nobody waits for the rates of {} any more", tenant, gone);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
