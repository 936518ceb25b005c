package io.github.kobe.rollout;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the next wave of a plan until some time has passed and, if required, somebody has approved and a check has
 * passed. It exists from
 * the end of a wave until the next one begins.
 *
 * @param since when all tasks of the wave had ended
 * @param bakedAt the earliest time at which the next wave begins
 * @param expiresAt until when the plan waits for an approval, or {@code null} if none is needed
 * @param approvedBy who has approved, if anybody has
 * @param checkExpiresAt until when the plan waits for its {@link WaveCheck}, or {@code null} if it isn't checked
 * @param isChecked whether the check has passed
 * @since 0.1.0
 */
public record WaveGate(
        Instant since,
        Instant bakedAt,
        @Nullable Instant expiresAt,
        @Nullable String approvedBy,
        @Nullable Instant checkExpiresAt,
        boolean isChecked) {

    /** Checks only for {@code null}. */
    public WaveGate {
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(bakedAt, "bakedAt");
    }

    /** {@return whether it waits for an approval} */
    public boolean needsApproval() {
        return expiresAt != null && approvedBy == null;
    }

    /** {@return whether it waits for a check} */
    public boolean needsCheck() {
        return checkExpiresAt != null && !isChecked;
    }
}
