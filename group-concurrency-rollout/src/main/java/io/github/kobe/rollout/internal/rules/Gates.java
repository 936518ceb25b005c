package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.WaveGate;
import java.time.Instant;

/** How a gate changes, and when it opens. */
final class Gates {

    private Gates() {}

    static boolean isPassed(WaveGate gate, Instant now) {
        return !gate.needsApproval() && !now.isBefore(gate.bakedAt());
    }

    static boolean isExpired(WaveGate gate, Instant now) {
        return gate.expiresAt() != null && gate.needsApproval() && !now.isBefore(gate.expiresAt());
    }

    /** {@return when somebody has to look at it, unless something happens before} */
    static Instant nextLook(WaveGate gate) {
        return gate.expiresAt() != null && gate.needsApproval() ? gate.expiresAt() : gate.bakedAt();
    }

    static WaveGate approved(WaveGate gate, String by) {
        return new WaveGate(gate.since(), gate.bakedAt(), gate.expiresAt(), by);
    }

    static WaveGate expiringAt(WaveGate gate, Instant time) {
        return new WaveGate(gate.since(), gate.bakedAt(), time, gate.approvedBy());
    }
}
