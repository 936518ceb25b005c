package io.github.kobe.rollout.http;

import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.RollbackHealthVerifier;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.StageFactory;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TenantChange;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The stages of a configuration switch: {@code ConfigUpdate} sends the configuration ({@code PUT {endpoint}/config}),
 * {@code Broadcast} makes each instance load it ({@code POST {endpoint}/config/refresh}), {@code HealthCheck} waits
 * until each reports that it runs the new version.
 *
 * <p>A tenant needs at least one endpoint of http or https. For a tenant whose health is only checked, the settings
 * below may be used instead.
 *
 * <p>A rollback sends the previous configuration and makes the instances load it, both as the rollback of
 * {@code ConfigUpdate}; then it waits for the previous version, once. Each request carries the headers
 * {@code Idempotency-Key}, a {@linkplain StageContext#idempotencyKey(String) key} of its own that ends in the number of the
 * endpoint, from 1, and {@code Rollout-Token}, the {@linkplain StageContext#fencingToken() fencing token}.
 * A redirect is not followed, and fails the stage: the configuration may be secret, and whoever answers elsewhere has not
 * taken it.
 *
 * <p>Settings, with their defaults:
 *
 * <ul>
 *   <li>{@code health.path} ({@code /health}), the path of a health check for endpoints without one of their own
 *   <li>{@code health.version-key} ({@code version}), the field of the answer that has the version
 *   <li>{@code health.interval} ({@code 3s}), {@code health.max-attempts} (10), {@code health.timeout} ({@code 2s})
 *   <li>{@code http.timeout} ({@code 10s}), for the other requests
 *   <li>{@code target-domain}, else {@code target-ip}, with {@code target-port}: where a tenant without endpoints is asked
 * </ul>
 *
 * <p>Immutable, thread-safe.
 *
 * @since 0.1.0
 */
public final class HttpStages implements StageFactory {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

    private final HttpTransport transport;
    private final Pauses pauses;

    HttpStages(HttpTransport transport, Pauses pauses) {
        this.transport = Objects.requireNonNull(transport, "transport");
        this.pauses = pauses;
    }

    /** {@return the stages, with the JDK's HTTP client} */
    public static HttpStages configSwitch() {
        return configSwitch(HttpTransport.jdk());
    }

    /**
     * {@return the stages}
     *
     * @param transport sends the requests
     */
    public static HttpStages configSwitch(HttpTransport transport) {
        return new HttpStages(transport, time -> Thread.sleep(time));
    }

    @Override
    public List<Stage> stages(TaskInfo task, TenantChange change, RolloutSettings settings, HealthCheckClient health) {
        HealthPoll poll = new HealthPoll(settings, health, pauses);
        Duration timeout = settings.duration("http.timeout", DEFAULT_TIMEOUT);
        requireSomebodyToReach(change, settings);
        return List.of(
                Stage.named("ConfigUpdate")
                        .step(context -> send(context, timeout))
                        .rollback(context -> send(context, timeout))
                        .rollback(context -> refresh(context, timeout)),
                Stage.named("Broadcast").step(context -> refresh(context, timeout)),
                Stage.named("HealthCheck").step(context -> check(poll, context)).confirmsHealth());
    }

    /** A switch that reached nobody would be as good as done. */
    private static void requireSomebodyToReach(TenantChange change, RolloutSettings settings) {
        boolean isAskedElsewhere = settings.find("target-domain")
                .or(() -> settings.find("target-ip"))
                .isPresent();
        if (change.endpoints().isEmpty() && !isAskedElsewhere) {
            throw new IllegalArgumentException(
                    "it has no endpoints; it must have one at least, or the setting target-domain or target-ip");
        }
        for (String url : change.endpoints()) {
            if (!NetworkEndpoint.of(url).isHttp()) {
                throw new IllegalArgumentException("endpoint is '" + url + "'; it must be one of http or https");
            }
        }
    }

    /** {@return a verifier that waits until each instance reports that it runs the previous version} */
    @Override
    public RollbackHealthVerifier verifier() {
        return (context, health) ->
                new HealthPoll(context.settings(), health, pauses).poll(context).isEmpty();
    }

    private void send(StageContext context, Duration timeout) throws IOException, InterruptedException {
        callAll(context, "PUT", "/config", context.config(), timeout);
    }

    private void refresh(StageContext context, Duration timeout) throws IOException, InterruptedException {
        callAll(context, "POST", "/config/refresh", "", timeout);
    }

    private void callAll(StageContext context, String method, String path, String body, Duration timeout)
            throws IOException, InterruptedException {
        List<NetworkEndpoint> endpoints = context.endpoints();
        for (int index = 0; index < endpoints.size(); index++) {
            String key = context.idempotencyKey(Integer.toString(index + 1));
            call(context, key, method, endpoints.get(index), path, body, timeout);
        }
    }

    private void call(
            StageContext context,
            String key,
            String method,
            NetworkEndpoint endpoint,
            String path,
            String body,
            Duration timeout)
            throws IOException, InterruptedException {
        URI url = URI.create(endpoint.url().replaceFirst("/+$", "") + path);
        Map<String, String> headers = Map.of(
                "Content-Type",
                "application/json",
                "Idempotency-Key",
                key,
                "Rollout-Token",
                Long.toString(context.fencingToken()));
        int status;
        try {
            status = transport.send(new HttpCall(method, url, headers, body, timeout));
        } catch (IOException e) {
            // What clients say of it often doesn't tell whom they asked.
            throw new IOException(method + " " + url + " was not answered: " + e, e);
        }
        if (status / 100 != 2) {
            throw new IOException(method + " " + url + " was answered with status " + status
                    + (status / 100 == 3 ? "; redirects are not followed" : ""));
        }
    }

    private static void check(HealthPoll poll, StageContext context) throws IOException, InterruptedException {
        List<String> wrong = poll.poll(context);
        if (!wrong.isEmpty()) {
            throw new IOException("not healthy: " + String.join("; ", wrong));
        }
    }
}
