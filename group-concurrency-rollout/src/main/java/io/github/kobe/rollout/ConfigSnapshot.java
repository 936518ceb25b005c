package io.github.kobe.rollout;

import java.util.Objects;

/**
 * A deploy unit together with its configuration, for example the previous one of a tenant, or the last one known to be
 * good.
 *
 * @param unit the unit
 * @param config its configuration, as it is sent
 * @since 0.1.0
 */
public record ConfigSnapshot(DeployUnit unit, String config) {

    /** Checks only for {@code null}. */
    public ConfigSnapshot {
        Objects.requireNonNull(unit, "unit");
        Objects.requireNonNull(config, "config");
    }

    /** {@return the unit, and only the length of the configuration, which may be secret} */
    @Override
    public String toString() {
        return "ConfigSnapshot[unit=" + unit + ", config=" + config.length() + " characters]";
    }
}
