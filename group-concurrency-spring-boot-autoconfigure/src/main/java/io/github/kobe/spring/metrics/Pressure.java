package io.github.kobe.spring.metrics;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupStats;
import io.github.kobe.RuleStats;
import io.github.kobe.WaitReason;

/**
 * How many groups have one value of the tag, what they have beyond their guarantees or wait for of them, how close the
 * closest of them is to its limits, and how far their rates are used up.
 *
 * @param groups groups that the engine knows
 * @param waiting groups in which something waits
 * @param belowGuarantee groups that hold less than they are guaranteed, and wait for a global permit
 * @param paused groups that are paused
 * @param borrowed global permits that groups hold beyond their guarantees
 * @param saturation the largest fraction of its permits that a group has in use
 * @param queueFill the largest fraction of its queue that a group has in use
 * @param rated groups that have a rate
 * @param rateUsed the largest fraction of its rate's burst that a group has used up
 * @param waitingForRate groups in which something waits for nothing but the rate
 */
record Pressure(
        int groups,
        int waiting,
        int belowGuarantee,
        int paused,
        long borrowed,
        double saturation,
        double queueFill,
        int rated,
        double rateUsed,
        int waitingForRate) {

    static final Pressure NONE = new Pressure(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    static Pressure of(RuleStats rule) {
        return new Pressure(
                rule.groups(),
                rule.waitingGroups(),
                rule.groupsBelowGuarantee(),
                rule.pausedGroups(),
                rule.borrowed(),
                rule.saturation(),
                rule.queueFill(),
                rule.ratedGroups(),
                rule.rateUsed(),
                rule.groupsWaitingForRate());
    }

    static Pressure of(GroupStats group) {
        return new Pressure(
                1,
                group.queued() > 0 ? 1 : 0,
                group.waitsBelowGuarantee() ? 1 : 0,
                group.paused() ? 1 : 0,
                group.borrowed(),
                Math.max(share(group.running(), group.maxConcurrency()), share(group.inFlight(), group.maxInFlight())),
                share(group.queued(), group.queueThreshold()),
                group.rates().isPresent() ? 1 : 0,
                group.rateStats().stream()
                        .mapToDouble(
                                stats -> (double) stats.used() / stats.rate().burst())
                        .max()
                        .orElse(0.0),
                group.waitsFor().filter(WaitReason.RATE::equals).isPresent() ? 1 : 0);
    }

    Pressure plus(Pressure other) {
        return new Pressure(
                groups + other.groups,
                waiting + other.waiting,
                belowGuarantee + other.belowGuarantee,
                paused + other.paused,
                borrowed + other.borrowed,
                Math.max(saturation, other.saturation),
                Math.max(queueFill, other.queueFill),
                rated + other.rated,
                Math.max(rateUsed, other.rateUsed),
                waitingForRate + other.waitingForRate);
    }

    private static double share(int number, EffectiveLimit<Integer> limit) {
        return limit.value() == Integer.MAX_VALUE ? 0 : (double) number / Math.max(1, limit.value());
    }
}
