package io.github.kobe.rollout.internal.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The work for a plan: one drive at a time, which has a number. For stores.
 *
 * @param number the last drive's number; if there was none, the one before the first
 * @param phase whether it is due, runs, or is over
 * @param at when it is due
 * @param node the process that runs it, under a name that no other process ever has; {@code null} unless it runs
 * @param strandedSince since when all who came to run it had other stages than some task; {@code null} if nobody had
 */
public record DriveState(
        long number,
        Phase phase,
        @Nullable Instant at,
        @Nullable String node,
        @Nullable Instant strandedSince) {

    /** Where a drive is. */
    public enum Phase {
        /** There is nothing to do. */
        OVER,
        /** It begins at its time, or continues if the node that ran it has stopped and handed it over. */
        DUE,
        /** It has begun; if no node runs it, it is lost. */
        RUNNING
    }

    /** Checks for {@code null} alone. */
    public DriveState {
        Objects.requireNonNull(phase, "phase");
    }

    /**
     * {@return no drive yet} Numbers go on from that time: an earlier plan with the same id may have had drives whose end the
     * store hasn't recorded yet, and they have other numbers.
     *
     * @param createdAt when the plan is created
     */
    public static DriveState none(Instant createdAt) {
        return new DriveState(createdAt.toEpochMilli(), Phase.OVER, null, null, null);
    }

    /** {@return whether somebody looks, or will have looked by then} */
    boolean comesBy(Instant time) {
        return phase == Phase.RUNNING || (phase == Phase.DUE && at != null && !at.isAfter(time));
    }

    public DriveState next(Instant time) {
        return new DriveState(number + 1, Phase.DUE, time, null, strandedSince);
    }

    public DriveState handedOver(Instant time) {
        return new DriveState(number, Phase.DUE, time, null, strandedSince);
    }

    public DriveState runBy(String process) {
        return new DriveState(number, Phase.RUNNING, null, process, strandedSince);
    }

    public DriveState over() {
        return new DriveState(number, Phase.OVER, null, null, null);
    }

    /**
     * {@return what is over, since whoever ran it has other stages}
     *
     * @param held for how long that one had the plan, in which no other could come
     */
    public DriveState stranded(Instant now, Duration held) {
        return new DriveState(number, Phase.OVER, null, null, strandedSince == null ? now : strandedSince.plus(held));
    }

    /** {@return what is run by a process that has the plan's stages} */
    public DriveState atHome() {
        return new DriveState(number, phase, at, node, null);
    }
}
