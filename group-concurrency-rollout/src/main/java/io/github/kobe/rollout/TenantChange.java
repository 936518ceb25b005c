package io.github.kobe.rollout;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The change of one tenant. It is checked when a plan is created, together with all others, so that all mistakes are
 * reported at once.
 *
 * <pre>{@code
 * TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), configJson)
 *         .endpoints("http://10.0.0.1:8080", "http://10.0.0.2:8080")
 * }</pre>
 *
 * <p>Immutable: each method returns a changed copy.
 *
 * @param tenant the tenant's id
 * @param unit what the tenant will have
 * @param config its configuration, as it is sent
 * @param endpoints the addresses of its instances
 * @param previous what it has now, or {@code null} for what was last known to be good
 * @param maxRetry how often a failed task may be retried, 0 or more
 * @param settings settings of this tenant alone, which override those for all
 * @since 0.1.0
 */
public record TenantChange(
        String tenant,
        DeployUnit unit,
        String config,
        List<String> endpoints,
        @Nullable ConfigSnapshot previous,
        int maxRetry,
        Map<String, String> settings) {

    private static final int DEFAULT_MAX_RETRY = 3;

    /** Copies the collections, and checks only for {@code null}. */
    public TenantChange {
        Objects.requireNonNull(tenant, "tenant");
        Objects.requireNonNull(unit, "unit");
        Objects.requireNonNull(config, "config");
        endpoints = List.copyOf(endpoints);
        settings = Map.copyOf(settings);
    }

    /**
     * Makes a change without endpoints, which may be retried three times.
     *
     * @param tenant the tenant's id
     * @param unit what the tenant will have
     * @param config its configuration, as it is sent
     * @return the change
     */
    public static TenantChange of(String tenant, DeployUnit unit, String config) {
        return new TenantChange(tenant, unit, config, List.of(), null, DEFAULT_MAX_RETRY, Map.of());
    }

    /**
     * Sets the addresses of the tenant's instances.
     *
     * @param urls one URL for each instance
     * @return a changed copy
     */
    public TenantChange endpoints(String... urls) {
        return new TenantChange(tenant, unit, config, List.of(urls), previous, maxRetry, settings);
    }

    /**
     * Sets what the tenant has now, which a rollback restores.
     *
     * @param previousUnit the unit
     * @param previousConfig its configuration
     * @return a changed copy
     */
    public TenantChange previous(DeployUnit previousUnit, String previousConfig) {
        ConfigSnapshot snapshot = new ConfigSnapshot(previousUnit, previousConfig);
        return new TenantChange(tenant, unit, config, endpoints, snapshot, maxRetry, settings);
    }

    /**
     * Sets how often a failed task may be retried.
     *
     * @param times 0 or more
     * @return a changed copy
     */
    public TenantChange maxRetry(int times) {
        return new TenantChange(tenant, unit, config, endpoints, previous, times, settings);
    }

    /**
     * Sets one setting for this tenant, which overrides the one for all.
     *
     * @param key such as {@code health.path}
     * @param value the value as text
     * @return a changed copy
     */
    public TenantChange setting(String key, String value) {
        Map<String, String> more = new TreeMap<>(settings);
        more.put(key, value);
        return new TenantChange(tenant, unit, config, endpoints, previous, maxRetry, more);
    }

    /** {@return what the tenant will have} */
    public ConfigSnapshot target() {
        return new ConfigSnapshot(unit, config);
    }

    /**
     * {@return what it consists of, without what may be secret: of configurations only the lengths, no user information of
     * endpoints, and of headers only the names}
     */
    @Override
    public String toString() {
        Map<String, String> shown = new TreeMap<>(settings);
        shown.replaceAll((key, value) -> key.startsWith(RolloutSettings.HEADERS) ? "..." : value);
        return "TenantChange[tenant=" + tenant + ", unit=" + unit + ", config=" + config.length()
                + " characters, endpoints="
                + endpoints.stream().map(NetworkEndpoint::ofTrusted).toList() + ", previous=" + previous
                + ", maxRetry=" + maxRetry + ", settings=" + shown + "]";
    }
}
