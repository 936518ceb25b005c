package io.github.kobe;

/**
 * Why work of a group waits: the first of these that applies, in this order.
 *
 * <p>It is read without a lock, so it may be out of date by the time it is looked at. A later version may add constants; a
 * {@code switch} over them needs a {@code default}.
 *
 * @since 0.1.0
 */
public enum WaitReason {
    /** The group is paused: {@link GroupExecutor#resume} lets it go on. */
    PAUSED,
    /** The group has as much running or in flight as {@code maxConcurrency} or {@code maxInFlight} allow. */
    GROUP_LIMIT,
    /**
     * The group has as much in flight as this instance has leased of {@code clusterMaxInFlight}, the limit over all instances,
     * and its own limits would allow more; or what was leased counts no more, since the store that all share is away.
     */
    CLUSTER_LIMIT,
    /**
     * The group has started as much as its {@linkplain GroupLimits#withRate rate} allows; or all groups as much as the {@linkplain
     * GroupPolicy.Builder#globalRate rate over all of them} does, and a permit would be free. Time lets it go on.
     */
    RATE,
    /**
     * The global limit is short, and another group that has less than it is guaranteed waits too. It comes before this one; or, where
     * this one is below a guarantee of the same kind itself, by its own name or by a rule, both share what comes back.
     */
    OTHERS_GUARANTEE,
    /**
     * A global permit is free, and this group may not take it: it is {@linkplain GroupPolicy.Builder#globalHeadroom headroom}, for
     * groups that hold little.
     */
    HEADROOM,
    /** As much is in flight over all groups as {@code globalMaxInFlight} allows. */
    CAP
}
