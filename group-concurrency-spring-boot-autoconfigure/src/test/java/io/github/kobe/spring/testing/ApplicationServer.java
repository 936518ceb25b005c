package io.github.kobe.spring.testing;

import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A real application on a real web server, and a client of it. */
public class ApplicationServer implements AutoCloseable {

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;

    /** Starts it, on any port that is free. */
    public ApplicationServer(SpringApplicationBuilder application, Stream<String> settings) {
        // Spring Data is there for the store of limits, and there is no Redis.
        context = application.run(
                Stream.concat(Stream.of("server.port=0", "management.health.redis.enabled=false"), settings)
                        .map(setting -> "--" + setting)
                        .toArray(String[]::new));
    }

    public final <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public final <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    /** {@return where the application is} */
    public final URI address() {
        return addressAt("local.server.port");
    }

    /** {@return where its endpoints are, if they have a port of their own} */
    public final URI managementAddress() {
        return addressAt("local.management.port");
    }

    /** {@return where the application has a path} */
    public final URI at(String path) {
        return URI.create(address() + path);
    }

    private URI addressAt(String port) {
        return URI.create("http://localhost:" + context.getEnvironment().getRequiredProperty(port));
    }

    /** {@return a request for a path of the application} */
    protected final HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(at(path));
        return headers.length == 0 ? request : request.headers(headers);
    }

    /** Sends JSON, if there is any. */
    public final HttpResponse<String> sendJson(String method, URI address, String body)
            throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(address)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body)));
    }

    protected final HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    protected final CompletableFuture<HttpResponse<String>> sendAsync(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public final void close() {
        Deadline.close(client);
        context.close();
    }
}
