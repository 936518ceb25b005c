package io.github.kobe.spring.dashboard;

import io.github.kobe.spring.testing.ApplicationServer;
import io.github.kobe.spring.testing.NeededAutoConfigurations;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;

/** An application with the live page, and a client of it. */
final class PageServer extends ApplicationServer {

    PageServer(WebApplicationType type, String... settings) {
        this(Application.class, type, settings);
    }

    PageServer(Class<?> application, WebApplicationType type, String... settings) {
        super(
                new SpringApplicationBuilder(application)
                        .web(type)
                        .properties(
                                NeededAutoConfigurations.SETTING + "=ACTUATOR",
                                "group-concurrency.dashboard.enabled=true",
                                "group-concurrency.rollout.enabled=false",
                                "management.endpoints.web.exposure.include=groupexecutor"),
                Stream.of(settings));
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers));
    }

    HttpResponse<String> get(URI address) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(address));
    }

    HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return send(request(path).POST(HttpRequest.BodyPublishers.ofString("{}")));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
