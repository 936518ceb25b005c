package io.github.kobe.rollout.http;

import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.StageContext;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The URLs of a tenant's instances. User information and query of an endpoint are in each of its URLs. */
final class EndpointUrls {

    private EndpointUrls() {}

    /** {@return the URL of what is below an endpoint, such as {@code /config}} */
    static URI below(NetworkEndpoint endpoint, String path) {
        URI uri = URI.create(endpoint.url());
        String base = uri.getRawPath().replaceFirst("/+$", "");
        return URI.create(url(uri.getScheme(), uri.getRawAuthority(), base + path, uri.getRawQuery()));
    }

    /** {@return where the health of the instances is checked} */
    static List<String> ofHealth(StageContext context) {
        RolloutSettings settings = context.settings();
        List<String> endpoints = context.change().endpoints();
        if (!endpoints.isEmpty()) {
            return endpoints.stream()
                    .map(url -> ofHealth(NetworkEndpoint.ofTrusted(url), settings))
                    .toList();
        }
        return settings.find("target-domain")
                .or(() -> settings.find("target-ip"))
                .map(host -> List.of(ofHealth(host, settings)))
                .orElse(List.of());
    }

    private static String ofHealth(NetworkEndpoint endpoint, RolloutSettings settings) {
        if (endpoint.isHttp() && !endpoint.path().isEmpty()) {
            return endpoint.url();
        }
        URI uri = URI.create(endpoint.url());
        String authority = uri.getRawAuthority();
        return url(
                endpoint.isSecure() ? "https" : "http",
                uri.getPort() == -1 ? authority + port(settings) : authority,
                healthPath(settings),
                uri.getRawQuery());
    }

    private static String ofHealth(String host, RolloutSettings settings) {
        boolean isIpv6 = host.indexOf(':') != host.lastIndexOf(':') && !host.startsWith("[");
        String authority = (isIpv6 ? "[" + host + "]" : host) + port(settings);
        return url("http", authority, healthPath(settings), null);
    }

    private static String port(RolloutSettings settings) {
        return settings.find("target-port").isPresent() ? ":" + settings.count("target-port", 1) : "";
    }

    private static String healthPath(RolloutSettings settings) {
        String path = settings.text("health.path", "/health");
        return path.startsWith("/") ? path : "/" + path;
    }

    /** The path may have a query of its own, to which that of the endpoint is added. */
    private static String url(String scheme, String authority, String path, @Nullable String query) {
        return scheme + "://" + authority + path + (query == null ? "" : (path.contains("?") ? "&" : "?") + query);
    }
}
