package io.github.kobe;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a policy says of one group: each number with its source, the rule that the group falls under, and the patterns that
 * match its key. An override isn't part of it, since that belongs to an executor.
 *
 * <pre>{@code
 * GroupExplanation why = policy.explain("tenant:big");
 * why.maxConcurrency().orElseThrow().value(); // 16
 * why.rule().orElseThrow(); // tenant:big
 * why.patterns(); // [tenant:*, *]
 * }</pre>
 *
 * <p>Only the engine implements it; it may get more methods. Immutable.
 *
 * @since 0.1.0
 */
public interface GroupExplanation {

    /** {@return the group} */
    String groupKey();

    /**
     * {@return how many may run at once; where nobody says so, {@link #clusterMaxInFlight} with its source; empty if only a {@linkplain GroupPolicy#limitsResolver resolver} or the
     * {@linkplain GroupPolicy#concurrencyResolver one of concurrency} could tell, which an explanation doesn't ask}
     */
    Optional<EffectiveLimit<Integer>> maxConcurrency();

    /**
     * {@return how many may be in flight; {@link Integer#MAX_VALUE}: no limit; empty as {@link #maxConcurrency} is} Where neither the group, nor its pattern, nor
     * the defaults say so, this is {@link #maxConcurrency}.
     */
    Optional<EffectiveLimit<Integer>> maxInFlight();

    /**
     * {@return how many may be in flight over all instances together; empty: there is no such limit, or only a
     * {@linkplain GroupPolicy#limitsResolver resolver} could tell}
     */
    Optional<EffectiveLimit<Integer>> clusterMaxInFlight();

    /** {@return how many may wait, unless a limits resolver says another number; {@link Integer#MAX_VALUE}: no limit} */
    EffectiveLimit<Integer> queueThreshold();

    /**
     * {@return how long a task or caller may wait, unless a limits resolver says another time; {@link GroupLimits#NO_TIMEOUT}:
     * no limit}
     */
    EffectiveLimit<Duration> queueTimeout();

    /** {@return its weight among groups that are short of global permits, unless a limits resolver says another number} */
    EffectiveLimit<Integer> weight();

    /**
     * {@return how many in flight are guaranteed to it, as it is set, unless a limits resolver says another number; where
     * {@link #maxInFlight} is lower, that is}
     */
    EffectiveLimit<Integer> guaranteed();

    /** {@return how much may start in any window of time, unless a limits resolver says another rate; empty: any number} */
    Optional<EffectiveLimit<List<Rate>>> rates();

    /**
     * {@return the rule that the group falls under: its own key if the policy names it exactly, else the first of
     * {@link #patterns}; empty if neither}
     */
    Optional<String> rule();

    /** {@return all patterns that match the key, the closest first, even those that it doesn't fall under; unmodifiable} */
    List<String> patterns();
}
