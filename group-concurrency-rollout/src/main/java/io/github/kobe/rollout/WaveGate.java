package io.github.kobe.rollout;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What keeps the next wave of a plan back: time that has to pass, and perhaps somebody who has to approve. It is there from
 * the end of a wave until the next one begins.
 *
 * @param since when all tasks of the wave had ended
 * @param bakedAt when the next wave begins at the earliest
 * @param expiresAt until when an approval is waited for, or {@code null} if none is needed
 * @param approvedBy who has approved, if somebody has
 * @since 0.1.0
 */
public record WaveGate(
        Instant since,
        Instant bakedAt,
        @Nullable Instant expiresAt,
        @Nullable String approvedBy) {

    /** Checks for {@code null} alone. */
    public WaveGate {
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(bakedAt, "bakedAt");
    }

    /** {@return whether it waits for somebody who approves} */
    public boolean needsApproval() {
        return expiresAt != null && approvedBy == null;
    }

    boolean isPassed(Instant now) {
        return !needsApproval() && !now.isBefore(bakedAt);
    }

    boolean isExpired(Instant now) {
        return expiresAt != null && needsApproval() && !now.isBefore(expiresAt);
    }

    /** {@return when somebody has to look at it, unless something happens before} */
    Instant nextLook() {
        return expiresAt != null && needsApproval() ? expiresAt : bakedAt;
    }

    WaveGate approved(String by) {
        return new WaveGate(since, bakedAt, expiresAt, by);
    }

    WaveGate expiringAt(Instant time) {
        return new WaveGate(since, bakedAt, time, approvedBy);
    }
}
