package io.github.kobe.spring.metrics;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExplanation;
import io.github.kobe.GroupStats;

/**
 * How much of one group may run at once, and how much more of it could.
 *
 * @param most the smaller of its two limits
 * @param free what neither limit keeps from running
 */
record Permits(int most, int free) {

    /** Of more than one group, or of one whose limit only a resolver could tell. */
    static final Permits UNKNOWN = new Permits(0, 0);

    static Permits of(GroupStats group) {
        int maxConcurrency = group.maxConcurrency().value();
        int maxInFlight = group.maxInFlight().value();
        int free = Math.min(maxConcurrency - group.running(), maxInFlight - group.inFlight());
        return new Permits(Math.min(maxConcurrency, maxInFlight), Math.max(0, free));
    }

    /** {@return those of a group that isn't there now, by the policy} */
    static Permits unused(GroupExplanation group) {
        return group.maxConcurrency()
                .flatMap(running -> group.maxInFlight().map(inFlight -> unused(running, inFlight)))
                .orElse(UNKNOWN);
    }

    private static Permits unused(EffectiveLimit<Integer> running, EffectiveLimit<Integer> inFlight) {
        int most = Math.min(running.value(), inFlight.value());
        return new Permits(most, most);
    }

    boolean isLimited() {
        return !equals(UNKNOWN) && TagMeters.isLimit(most);
    }

    /** No number where there is no limit any more. */
    double shown(int number) {
        return isLimited() ? number : Double.NaN;
    }
}
