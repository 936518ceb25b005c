package io.github.kobe.rollout;

import org.jspecify.annotations.Nullable;

/**
 * A version of a deploy unit.
 *
 * @param unitId the unit, at least 1
 * @param version its version, at least 0
 * @since 0.1.0
 */
public record DeployVersion(long unitId, long version) {

    /**
     * Makes a version, and checks the numbers.
     *
     * @param unitId the unit, at least 1
     * @param version its version, at least 0
     * @return the version
     * @throws IllegalArgumentException if a number is out of its range
     */
    public static DeployVersion of(long unitId, long version) {
        if (unitId < 1) {
            throw new IllegalArgumentException("unitId is " + unitId + "; it must be at least 1");
        }
        if (version < 0) {
            throw new IllegalArgumentException("version is " + version + "; it must be at least 0");
        }
        return new DeployVersion(unitId, version);
    }

    /**
     * Makes a version from numbers that were checked before.
     *
     * @param unitId the unit
     * @param version its version
     * @return the version
     */
    public static DeployVersion ofTrusted(long unitId, long version) {
        return new DeployVersion(unitId, version);
    }

    /**
     * {@return whether this version is newer than another} Any version is newer than {@code null}.
     *
     * @param other a version of the same unit, or {@code null}
     * @throws IllegalArgumentException if it is of another unit
     */
    public boolean isNewerThan(@Nullable DeployVersion other) {
        if (other == null) {
            return true;
        }
        if (other.unitId != unitId) {
            throw new IllegalArgumentException(
                    "versions of the units " + unitId + " and " + other.unitId + " can't be compared");
        }
        return version > other.version;
    }
}
