package io.github.kobe.rollout.http;

import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.StageContext;
import java.util.List;
import java.util.Optional;

/** The URLs for the health checks of a tenant's instances. */
final class HealthUrls {

    private static final int FROM_THE_URL = -1;

    private HealthUrls() {}

    static List<String> of(StageContext context) {
        RolloutSettings settings = context.settings();
        List<NetworkEndpoint> endpoints = context.endpoints();
        if (!endpoints.isEmpty()) {
            return endpoints.stream().map(endpoint -> url(endpoint, settings)).toList();
        }
        Optional<String> host = settings.find("target-domain").or(() -> settings.find("target-ip"));
        return host.map(name -> List.of(url("http", name, port(settings), settings)))
                .orElse(List.of());
    }

    private static String url(NetworkEndpoint endpoint, RolloutSettings settings) {
        if (endpoint.isHttp() && !endpoint.path().isEmpty()) {
            return endpoint.url();
        }
        boolean hasPort = endpoint.url().matches(".*:\\d+/?");
        return url(
                endpoint.isSecure() ? "https" : "http",
                endpoint.host(),
                hasPort ? endpoint.port() : port(settings),
                settings);
    }

    private static String url(String scheme, String host, int port, RolloutSettings settings) {
        String path = settings.text("health.path", "/health");
        return scheme + "://" + host + (port == FROM_THE_URL ? "" : ":" + port) + (path.startsWith("/") ? "" : "/")
                + path;
    }

    private static int port(RolloutSettings settings) {
        return settings.find("target-port").isPresent() ? settings.count("target-port", 1) : FROM_THE_URL;
    }
}
