package io.github.kobe.spring.dashboard;

import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A real application on a real web server with the live page, and a client of it. */
final class PageServer implements AutoCloseable {

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;

    PageServer(WebApplicationType type, String... settings) {
        this(Application.class, type, settings);
    }

    PageServer(Class<?> application, WebApplicationType type, String... settings) {
        context = new SpringApplicationBuilder(application)
                .web(type)
                .properties(
                        "server.port=0",
                        "group-concurrency.dashboard.enabled=true",
                        "management.endpoints.web.exposure.include=groupexecutor")
                .run(Stream.of(settings).map(setting -> "--" + setting).toArray(String[]::new));
    }

    GroupExecutor executor() {
        return bean(GroupExecutor.class);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** {@return where the application is} */
    URI address() {
        return addressAt("local.server.port");
    }

    /** {@return where its endpoints are, if they have a port of their own} */
    URI managementAddress() {
        return addressAt("local.management.port");
    }

    private URI addressAt(String port) {
        return URI.create("http://localhost:" + context.getEnvironment().getRequiredProperty(port));
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return get(address().resolve(path), headers);
    }

    HttpResponse<String> get(URI address, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(address);
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(address().resolve(path)).POST(HttpRequest.BodyPublishers.ofString("{}")));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        client.close();
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
