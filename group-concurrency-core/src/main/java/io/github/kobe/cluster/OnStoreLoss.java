package io.github.kobe.cluster;

/**
 * What an executor starts in groups with a limit over all instances once the store has been away for longer than a lease. Until
 * then what was leased goes on as before. What runs is never stopped.
 *
 * <p>A later version may add constants; a {@code switch} over them needs a {@code default}.
 *
 * @since 0.1.0
 */
public enum OnStoreLoss {
    /** Nothing: work waits, and times out or is refused as ever. So the limit holds, and the store has to be there. */
    CLOSED,
    /**
     * As much as the instance's own numbers allow: so over all instances the sum of these, which may be more than the limit. A
     * group for which nobody has set {@code maxConcurrency} has no number of its own, and starts nothing. It ends when the
     * store answers. A store that nobody has spoken to for two thirds of a lease grants nothing for one lease then: in that
     * case it ends a fifth of a lease before the store grants, and nothing starts in between.
     */
    LOCAL
}
