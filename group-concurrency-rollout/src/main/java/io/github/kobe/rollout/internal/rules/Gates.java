package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.WaveGate;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a gate changes, and when it opens. */
final class Gates {

    private Gates() {}

    static boolean isPassed(WaveGate gate, Instant now) {
        return !gate.needsApproval() && !gate.needsCheck() && isBaked(gate, now);
    }

    static boolean isBaked(WaveGate gate, Instant now) {
        return !now.isBefore(gate.bakedAt());
    }

    static boolean isExpired(WaveGate gate, Instant now) {
        Instant expiry = expiry(gate);
        return expiry != null && !now.isBefore(expiry);
    }

    /** {@return when somebody has to look at it, unless something happens before} */
    static Instant nextLook(WaveGate gate) {
        return Objects.requireNonNullElse(expiry(gate), gate.bakedAt());
    }

    /** {@return until when it waits for what it needs} */
    private static @Nullable Instant expiry(WaveGate gate) {
        Instant approval = gate.needsApproval() ? gate.expiresAt() : null;
        Instant check = gate.needsCheck() ? gate.checkExpiresAt() : null;
        return approval == null || (check != null && check.isBefore(approval)) ? check : approval;
    }

    static WaveGate approved(WaveGate gate, String by) {
        return new WaveGate(
                gate.since(), gate.bakedAt(), gate.expiresAt(), by, gate.checkExpiresAt(), gate.isChecked());
    }

    static WaveGate checked(WaveGate gate) {
        return new WaveGate(
                gate.since(), gate.bakedAt(), gate.expiresAt(), gate.approvedBy(), gate.checkExpiresAt(), true);
    }
}
