package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.WaveGate;
import io.github.kobe.rollout.WaveSize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The waves in which a plan changes its tenants, and the conditions between them; for stores. Immutable.
 *
 * @param sizes how many tasks each wave has, in the order of the plan
 * @param maxFailures how many tasks may have failed while others begin, or which percentage of a wave, or {@code null} for
 *     any number
 * @param onTooManyFailures what happens if more have
 * @param bakeTime the shortest time from the end of a wave to the begin of the next one
 * @param approvalTimeout how long the plan waits for an approval after that, or {@code null} if none is needed
 * @param checkTimeout how long the plan waits for its check after that, or {@code null} if there is none
 * @since 0.1.0
 */
public record Waves(
        List<Integer> sizes,
        @Nullable WaveSize maxFailures,
        FailureReaction onTooManyFailures,
        Duration bakeTime,
        @Nullable Duration approvalTimeout,
        @Nullable Duration checkTimeout) {

    private static final int HUNDRED = 100;

    /** Copies the sizes. */
    public Waves {
        sizes = List.copyOf(sizes);
        Objects.requireNonNull(onTooManyFailures, "onTooManyFailures");
        Objects.requireNonNull(bakeTime, "bakeTime");
    }

    public static Waves of(RolloutPlan plan) {
        List<Integer> sizes = new ArrayList<>();
        int all = plan.changes().size();
        int left = all;
        for (WaveSize size : plan.waves()) {
            int taken = Math.min(left, size.of(all));
            if (taken > 0) {
                sizes.add(taken);
                left -= taken;
            }
        }
        if (left > 0) {
            sizes.add(left);
        }
        return new Waves(
                sizes,
                plan.maxFailures(),
                plan.onTooManyFailures(),
                plan.bakeTime(),
                plan.approvalTimeout(),
                plan.checkTimeout());
    }

    /** {@return whether each wave has a limit of its own for its failures} */
    boolean limitsEachWave() {
        return maxFailures != null && maxFailures.isPercentage();
    }

    /** {@return how many tasks may have failed while that wave is the current one} */
    int mostFailures(int wave) {
        if (maxFailures == null) {
            return Integer.MAX_VALUE;
        }
        return limitsEachWave() ? (int) ((long) sizes.get(wave) * maxFailures.value() / HUNDRED) : maxFailures.value();
    }

    /** {@return with so many more tasks in the last wave} */
    Waves growing(int more) {
        List<Integer> grown = new ArrayList<>(sizes);
        grown.set(sizes.size() - 1, sizes.getLast() + more);
        return new Waves(grown, maxFailures, onTooManyFailures, bakeTime, approvalTimeout, checkTimeout);
    }

    int count() {
        return sizes.size();
    }

    /** {@return how many tasks this wave and those before it have} */
    int end(int wave) {
        int end = 0;
        for (int index = 0; index <= wave; index++) {
            end += sizes.get(index);
        }
        return end;
    }

    /** {@return the wave of the task at that place in the plan} */
    public int waveOf(int position) {
        int wave = 0;
        int end = sizes.getFirst();
        while (position >= end) {
            wave++;
            end += sizes.get(wave);
        }
        return wave;
    }

    /** {@return what lies between a wave that ends now and the next one, if anything does} */
    @Nullable
    WaveGate gateFrom(Instant now) {
        Instant baked = now.plus(bakeTime);
        return bakeTime.isZero() && approvalTimeout == null && checkTimeout == null
                ? null
                : new WaveGate(now, baked, expiry(baked, approvalTimeout), null, expiry(baked, checkTimeout), false);
    }

    /** {@return the gate once more, with all the time for an approval and for a check that there is} */
    WaveGate renewed(WaveGate gate, Instant now) {
        Instant from = now.isBefore(gate.bakedAt()) ? gate.bakedAt() : now;
        return new WaveGate(
                gate.since(),
                gate.bakedAt(),
                gate.needsApproval() ? expiry(from, approvalTimeout) : gate.expiresAt(),
                gate.approvedBy(),
                gate.needsCheck() ? expiry(from, checkTimeout) : gate.checkExpiresAt(),
                gate.isChecked());
    }

    private static @Nullable Instant expiry(Instant from, @Nullable Duration timeout) {
        return timeout == null ? null : from.plus(timeout);
    }
}
