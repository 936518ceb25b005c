package io.github.kobe.spring.web;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.boot.WebApplicationType;

/** One application as a servlet one and with WebFlux, each started for the first test that wants it, and closed after all. */
final class WebServers implements AfterAllCallback {

    private final Class<?> application;
    private final String[] settings;
    private final Map<WebApplicationType, WebServer> started = new EnumMap<>(WebApplicationType.class);

    WebServers(Class<?> application, String... settings) {
        this.application = application;
        this.settings = settings.clone();
    }

    WebServer of(WebApplicationType type) {
        return started.computeIfAbsent(type, wanted -> new WebServer(application, wanted, settings));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        started.values().forEach(WebServer::close);
        started.clear();
    }
}
