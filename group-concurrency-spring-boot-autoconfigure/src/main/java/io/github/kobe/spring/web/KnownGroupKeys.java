package io.github.kobe.spring.web;

/**
 * Says which keys of requests are real, so that a client that invents one gets no group of its own. A bean of this type
 * serves the rules of {@code group-concurrency.web.filter} that have {@code known-keys-only}, {@code newcomers: shared} or
 * {@code max-keys}; without one, only keys that the settings name exactly are known.
 *
 * <pre>{@code
 * @Bean
 * KnownGroupKeys tenants(TenantIds ids) {
 *     return groupKey -> ids.current().contains(groupKey);
 * }
 * }</pre>
 *
 * <p>It is asked for each such request whose key the settings don't name, on the request's thread, and so has to answer at
 * once, from memory: a client that invents keys asks it with each of them, and with WebFlux it must not block. If it throws,
 * the request fails as if a filter of the application had thrown that. Used by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface KnownGroupKeys {

    /**
     * Tells whether a key is real.
     *
     * @param groupKey the key of the group, with the rule's prefix; of any length up to
     *     {@code group-concurrency.max-key-length}
     * @return whether it may have a group of its own
     */
    boolean isKnown(String groupKey);
}
