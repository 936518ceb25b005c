package io.github.kobe.rollout;

import java.util.Optional;

/**
 * Decides which endpoints may be called. Whoever may create a plan could otherwise have this node call any host that it
 * reaches.
 *
 * <pre>{@code
 * Rollouts.builder(executor)
 *         .endpointPolicy(endpoint -> endpoint.host().endsWith(".instances.example.com")
 *                 ? Optional.empty()
 *                 : Optional.of("only instances are called"))
 * }</pre>
 *
 * <p>It is asked for each endpoint of a plan that is created, and again before each request of
 * {@link io.github.kobe.rollout.http.HttpStages}, and whenever a step asks for {@linkplain StageContext#endpoints() endpoints}.
 * It may be called by many threads at once. If it throws, the endpoint is refused.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface EndpointPolicy {

    /**
     * {@return why an endpoint must not be called; empty if it may}
     *
     * @param endpoint the endpoint of a change, or the URL of a request
     */
    Optional<String> refusal(NetworkEndpoint endpoint);

    /** {@return a policy that refuses nothing} */
    static EndpointPolicy allowAll() {
        return endpoint -> Optional.empty();
    }
}
