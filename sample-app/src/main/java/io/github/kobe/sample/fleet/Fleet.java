package io.github.kobe.sample.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * Six tenants with two servers each, on free ports of this machine. It is asked what there is, and tells:
 *
 * <ul>
 *   <li>{@code GET /tenants}: each tenant, its version and where its servers are, as JSON
 *   <li>{@code GET /servers}: each server, how it behaves and which version it runs, a line each
 *   <li>{@code GET /requests}: all that servers were sent, a line each with tabs
 *   <li>{@code POST /servers/{name}?OK}: has a server behave otherwise from now on
 * </ul>
 */
public final class Fleet implements AutoCloseable {

    private static final String VERSION = "41";
    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final Duration LAG = Duration.ofSeconds(2);

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Receipts receipts = new Receipts();
    private final List<FleetServer> servers = new ArrayList<>();
    private final HttpServer registry;

    /**
     * Starts it.
     *
     * @param port where it is asked, 0 for any that is free
     * @param answer how long a server takes for a configuration that it is handed
     * @param lag after what time one that lags runs what it has loaded
     * @throws IOException if the port is taken
     */
    public Fleet(int port, Duration answer, Duration lag) throws IOException {
        Pace pace = new Pace(answer, lag);
        add(pace, "acme", Behaviour.OK);
        add(pace, "hooli", Behaviour.LAG);
        add(pace, "initech", Behaviour.OK);
        add(pace, "vip-globex", Behaviour.WRONG);
        add(pace, "vip-umbrella", Behaviour.DOWN);
        add(pace, "wonka", Behaviour.HANG);
        registry = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        registry.setExecutor(threads);
        registry.createContext("/", this::handle);
        registry.start();
    }

    /** The first server of a tenant is always well. */
    private void add(Pace pace, String tenant, Behaviour second) throws IOException {
        for (Behaviour behaviour : List.of(Behaviour.OK, second)) {
            String name = tenant + (servers.size() % 2 == 0 ? "-1" : "-2");
            servers.add(new FleetServer(tenant, name, behaviour, VERSION, pace, receipts, threads));
        }
    }

    /**
     * Starts a fleet that goes on until its process is ended.
     *
     * @param arguments the port where it is asked
     * @throws IOException if the port is taken
     */
    @SuppressWarnings("resource")
    public static void main(String[] arguments) throws IOException {
        Fleet fleet = new Fleet(Integer.parseInt(arguments[0]), ANSWER, LAG);
        System.out.println("The fleet is at " + fleet.url());
    }

    /** {@return where it is asked} */
    public String url() {
        return "http://127.0.0.1:" + registry.getAddress().getPort();
    }

    List<FleetServer> servers() {
        return servers;
    }

    List<Receipt> receipts() {
        return receipts.all();
    }

    void become(String name, Behaviour behaviour) throws IOException {
        FleetServer server = servers.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no server '" + name + "'"));
        server.become(behaviour);
    }

    private void handle(HttpExchange exchange) throws IOException {
        int status = 200;
        String answer = "";
        try {
            answer =
                    answer(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), exchange);
        } catch (IllegalArgumentException wrong) {
            status = 400;
            answer = wrong.getMessage() + "\n";
        }
        byte[] body = answer.getBytes(UTF_8);
        try (exchange) {
            exchange.getResponseHeaders()
                    .set("Content-Type", answer.startsWith("[") ? "application/json" : "text/plain");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private String answer(String method, String path, HttpExchange exchange) throws IOException {
        return switch (method + " " + path) {
            case "GET /tenants" -> tenants();
            case "GET /servers" ->
                lines(servers.stream()
                        .map(server -> String.format(
                                Locale.ROOT,
                                "%-15s %-5s  version %s  %s",
                                server.name(),
                                server.behaviour(),
                                server.version(),
                                server.url()))
                        .toList());
            case "GET /requests" ->
                lines(receipts.all().stream().map(Receipt::line).toList());
            default -> {
                if (!method.equals("POST") || !path.startsWith("/servers/")) {
                    throw new IllegalArgumentException("It knows nothing of " + method + " " + path);
                }
                String name = path.substring("/servers/".length());
                become(
                        name,
                        Behaviour.valueOf(
                                String.valueOf(exchange.getRequestURI().getQuery())));
                yield "";
            }
        };
    }

    private String tenants() {
        return servers.stream()
                .collect(Collectors.groupingBy(FleetServer::tenant, LinkedHashMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(tenant -> "{\"tenant\": \"" + tenant.getKey() + "\", \"version\": "
                        + tenant.getValue().getFirst().version() + ", \"servers\": ["
                        + tenant.getValue().stream()
                                .map(server -> "\"" + server.url() + "\"")
                                .collect(Collectors.joining(", "))
                        + "]}")
                .collect(Collectors.joining(",\n ", "[", "]\n"));
    }

    private static String lines(List<String> lines) {
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    @Override
    public void close() {
        registry.stop(0);
        servers.forEach(FleetServer::close);
        threads.close();
    }
}
