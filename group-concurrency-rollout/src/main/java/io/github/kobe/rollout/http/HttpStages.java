package io.github.kobe.rollout.http;

import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.NetworkEndpoint;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.RetryAfterException;
import io.github.kobe.rollout.RollbackHealthVerifier;
import io.github.kobe.rollout.RolloutSettings;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.StageFactory;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TenantChange;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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
 * <p>The requests of a stage go to all endpoints side by side, a few at a time. Each endpoint is sent its request, even if
 * another one has failed: the failure tells of all that failed, by name of ten at most. When the stage is interrupted or its
 * time is up, its requests are ended before it ends. Of an answer 65,536 bytes are read at most; a longer one is a failure.
 *
 * <p>The statuses 429 and 503 with a header {@code Retry-After} make it a {@link RetryAfterException}, with the longest time of
 * all instances, a day at most.
 *
 * <p>Settings, with their defaults:
 *
 * <ul>
 *   <li>{@code health.path} ({@code /health}), the path of a health check for endpoints without one of their own
 *   <li>{@code health.version-key} ({@code version}), the field of the answer that has the version
 *   <li>{@code health.interval} ({@code 3s}), {@code health.max-attempts} (10), {@code health.timeout} ({@code 2s}, for each
 *       request, with the whole answer)
 *   <li>{@code http.timeout} ({@code 10s}), for each of the other requests, with the whole answer
 *   <li>{@code http.parallel} (8), how many of these are sent at once
 *   <li>{@code http.retries} (0, up to 100), how often ConfigUpdate, its rollback and Broadcast {@linkplain Stage#retry run
 *       again} if they fail, for whatever reason; {@code http.retry-wait} ({@code 1s}, up to 5 minutes), the first wait before
 *       that, which a {@code Retry-After} makes longer, up to an hour
 *   <li>{@code http.header.NAME}, what each request to an instance has as the header of that name, such as
 *       {@code http.header.Authorization}. Upper and lower case make no difference; no log, failure or {@code toString()} has
 *       the value. User information of an endpoint is sent as {@code Authorization} ({@code Basic}) instead
 *   <li>{@code http.fetch-previous} ({@code false}): before the first change of a tenant, if its previous configuration is
 *       unknown, the present one is fetched by {@code GET {endpoint}/config}. All instances must answer it with the same
 *       text, as it would be sent to them, and report the same version in their health checks. If all answer with status
 *       404 or 204, there is none yet. Anything else fails the task before the change
 *   <li>{@code http.stage-timeout}, for each stage; by default as long as its requests, attempts and intervals may take by
 *       the settings above, and 10 seconds more
 *   <li>{@code target-domain}, else {@code target-ip}, with {@code target-port}: where a tenant without endpoints is asked
 * </ul>
 *
 * <p>Another name that begins with {@code health.} or {@code http.} is refused, as a value out of its range is: the plan isn't
 * started.
 *
 * <p>Immutable, thread-safe.
 *
 * @since 0.1.0
 */
public final class HttpStages implements StageFactory {

    private static final Duration MARGIN = Duration.ofSeconds(10);

    private static final List<String> SETTINGS = List.of(
            "health.interval",
            "health.max-attempts",
            "health.path",
            "health.timeout",
            "health.version-key",
            "http.fetch-previous",
            Headers.PREFIX + "NAME",
            "http.parallel",
            "http.retries",
            "http.retry-wait",
            "http.stage-timeout",
            "http.timeout");

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
        requireKnown(settings);
        HealthPoll poll = new HealthPoll(settings, health, pauses);
        Requests requests = new Requests(settings, transport);
        PresentConfig.isFetched(settings);
        requireSomebodyToReach(change, settings);
        Duration once = requests.longest(change.endpoints().size());
        int retries = settings.count("http.retries", 0, 0, 100);
        Duration firstWait = settings.duration("http.retry-wait", Duration.ofSeconds(1), 5);
        return List.of(
                Stage.named("ConfigUpdate")
                        .step(context -> send(requests, context))
                        .rollback(context -> send(requests, context))
                        .rollback(context -> refresh(requests, context))
                        .timeout(timeout(settings, once.multipliedBy(2)))
                        .retry(retries, firstWait),
                Stage.named("Broadcast")
                        .step(context -> refresh(requests, context))
                        .timeout(timeout(settings, once))
                        .retry(retries, firstWait),
                Stage.named("HealthCheck")
                        .step(context -> check(poll, context))
                        .timeout(timeout(settings, poll.longest()))
                        .confirmsHealth());
    }

    /** A misspelt name would be passed over without a word. */
    private static void requireKnown(RolloutSettings settings) {
        for (String prefix : List.of("health.", "http.")) {
            for (String rest : settings.startingWith(prefix).keySet()) {
                String name = prefix + rest;
                if (!SETTINGS.contains(name) && !name.startsWith(Headers.PREFIX)) {
                    throw new IllegalArgumentException(
                            "there is no setting " + name + "; there are " + String.join(", ", SETTINGS));
                }
            }
        }
    }

    /** A stage ends even if a transport or a client doesn't mind its time limits. */
    private static Duration timeout(RolloutSettings settings, Duration longest) {
        return settings.duration("http.stage-timeout", longest.plus(MARGIN));
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
            NetworkEndpoint endpoint = NetworkEndpoint.of(url);
            if (!endpoint.isHttp()) {
                throw new IllegalArgumentException("endpoint is '" + endpoint + "'; it must be one of http or https");
            }
        }
    }

    /** {@return what asks the instances for what they have, where {@code http.fetch-previous} is set} */
    @Override
    public Optional<PreviousConfig> previous() {
        return Optional.of(new PresentConfig(transport, pauses));
    }

    /** {@return a verifier that waits until each instance reports that it runs the previous version} */
    @Override
    public RollbackHealthVerifier verifier() {
        return (context, health) ->
                new HealthPoll(context.settings(), health, pauses).poll(context).isEmpty();
    }

    private static void send(Requests requests, StageContext context) throws IOException, InterruptedException {
        requests.send(context, "PUT", "/config", context.config());
    }

    private static void refresh(Requests requests, StageContext context) throws IOException, InterruptedException {
        requests.send(context, "POST", "/config/refresh", "");
    }

    private static void check(HealthPoll poll, StageContext context) throws IOException, InterruptedException {
        List<String> wrong = poll.poll(context);
        if (!wrong.isEmpty()) {
            throw new IOException("not healthy: " + String.join("; ", wrong));
        }
    }
}
