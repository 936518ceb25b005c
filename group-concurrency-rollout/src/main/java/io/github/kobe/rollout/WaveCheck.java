package io.github.kobe.rollout;

import java.util.Objects;

/**
 * Decides between two waves whether the next one may begin, for instance by a metric. It is asked for plans that are
 * {@linkplain RolloutPlan.Builder#checked checked}, after the bake time, about every 10 seconds
 * ({@link RolloutsBuilder#waveCheck}) until it passes or stops the plan, or the plan's time for it is over.
 *
 * <p>It is called on the node that drives the plan, on a thread of its own, outside of transactions; for one plan never twice
 * at once on one node. It may be asked again after it has answered, by the next node, if its answer was lost. If it throws, or
 * takes longer than a minute, which interrupts it, it counts as {@link Verdict#WAIT}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface WaveCheck {

    /**
     * {@return whether the next wave may begin}
     *
     * @param plan the plan, as it was when its gate was looked at
     * @param wave the wave that has ended, from 1
     * @throws Exception if it can't tell
     */
    Verdict check(PlanInfo plan, int wave) throws Exception;

    /**
     * What a check has found.
     *
     * @param kind what is to happen
     * @param reason why the plan is to stop, otherwise empty; spaces replace its control characters
     * @since 0.1.0
     */
    record Verdict(Kind kind, String reason) {

        /** The next wave may begin. */
        public static final Verdict PASS = new Verdict(Kind.PASS, "");

        /** Not known yet: the check is asked again. */
        public static final Verdict WAIT = new Verdict(Kind.WAIT, "");

        /** Cleans the reason. */
        public Verdict {
            Objects.requireNonNull(kind, "kind");
            reason = Texts.clean(reason);
        }

        /** What is to happen. */
        public enum Kind {
            /** The next wave may begin. */
            PASS,
            /** The check is asked again. */
            WAIT,
            /** The plan is paused, or rolled back. */
            STOP
        }

        /**
         * {@return that the plan is to stop} It is paused, or rolled back if that is its
         * {@linkplain RolloutPlan.Builder#onTooManyFailures reaction}.
         *
         * @param reason why, for the event
         */
        public static Verdict stop(String reason) {
            return new Verdict(Kind.STOP, reason);
        }
    }
}
