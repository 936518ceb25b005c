package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link TenantChange} asks for, but for the tenant and the configurations themselves.
 *
 * @param target what the tenant will have
 * @param endpoints the addresses of its instances
 * @param maxRetry how often a failed task may be retried
 * @param settings settings of this tenant alone
 */
public record Change(Snapshot target, List<String> endpoints, int maxRetry, Map<String, String> settings) {

    /** Copies the collections. */
    public Change {
        Objects.requireNonNull(target, "target");
        endpoints = List.copyOf(endpoints);
        settings = Map.copyOf(settings);
    }

    /** {@return what is kept of a change, whose configuration has that id} */
    public static Change of(TenantChange change, String configId) {
        return new Change(
                new Snapshot(change.unit(), configId), change.endpoints(), change.maxRetry(), change.settings());
    }

    /** {@return what it consists of, but only the number of endpoints and the names of settings, which may have secrets} */
    @Override
    public String toString() {
        return "Change[target=" + target + ", endpoints=" + endpoints.size() + ", maxRetry=" + maxRetry + ", settings="
                + settings.keySet() + "]";
    }

    /** {@return the change as the application made it, with what is known of before} */
    public TenantChange whole(TenantId tenantId, String config, @Nullable ConfigSnapshot previous) {
        return new TenantChange(tenantId.value(), target.unit(), config, endpoints, previous, maxRetry, settings);
    }
}
