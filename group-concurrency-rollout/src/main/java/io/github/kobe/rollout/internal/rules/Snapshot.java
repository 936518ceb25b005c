package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.DeployUnit;
import java.util.Objects;

/**
 * What a tenant has, had or will have. A configuration may be large, so that it is kept apart, once, and read only where it is
 * sent.
 *
 * @param unit the unit
 * @param configId under which its configuration is {@linkplain StoreTransaction#keep kept}
 */
public record Snapshot(DeployUnit unit, String configId) {

    /** Checks only for {@code null}. */
    public Snapshot {
        Objects.requireNonNull(unit, "unit");
        Objects.requireNonNull(configId, "configId");
    }

    /** {@return the unit alone: in memory, the configuration is its own id} */
    @Override
    public String toString() {
        return "Snapshot[" + unit + "]";
    }
}
