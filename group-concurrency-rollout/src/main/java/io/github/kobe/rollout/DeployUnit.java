package io.github.kobe.rollout;

import java.util.Objects;

/**
 * What is deployed for a tenant: a unit in a version, with a name.
 *
 * @param version the unit's id and its version
 * @param name such as {@code blue}, not blank
 * @since 0.1.0
 */
public record DeployUnit(DeployVersion version, String name) {

    /** Checks only for {@code null}, as {@link #ofTrusted}. */
    public DeployUnit {
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(name, "name");
    }

    /**
     * Makes a unit, and checks the values.
     *
     * @param unitId the unit, at least 1
     * @param version its version, at least 0
     * @param name such as {@code blue}, not blank
     * @return the unit
     * @throws IllegalArgumentException if a number is out of its range, or the name is blank
     */
    public static DeployUnit of(long unitId, long version, String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name is '" + name + "'; it must not be blank");
        }
        return new DeployUnit(DeployVersion.of(unitId, version), name);
    }

    /**
     * Makes a unit from values that were checked before.
     *
     * @param unitId the unit
     * @param version its version
     * @param name its name
     * @return the unit
     */
    public static DeployUnit ofTrusted(long unitId, long version, String name) {
        return new DeployUnit(DeployVersion.ofTrusted(unitId, version), name);
    }
}
