package io.github.kobe;

import java.time.Duration;
import java.util.Optional;

/**
 * The statistics of all groups together at one moment. The numbers are read one after the other, without a lock: they
 * are exact at rest, and close while work starts and ends.
 *
 * <p>Only the engine implements it; it may get more methods.
 *
 * @since 0.1.0
 */
public interface GroupExecutorStats {

    /** {@return how many tasks run, those not counted whose permits are lent; a thread nested in several groups counts in each} */
    long running();

    /** {@return how many tasks have been started and not finished; a thread nested in several groups counts once} */
    long inFlight();

    /** {@return how many tasks and callers wait} */
    long queued();

    /** {@return how many groups the engine knows, idle ones included} */
    int groups();

    /** {@return how many may be in flight; {@link Integer#MAX_VALUE}: no limit} */
    int globalMaxInFlight();

    /**
     * {@return how many of the last free permits are only for groups that hold little, as it is set; 0 without a limit} A drain keeps
     * none of it.
     */
    int globalHeadroom();

    /** {@return how much of all groups together starts in any window; {@link Rate#UNLIMITED}: any number} */
    Rate globalRate();

    /**
     * {@return how many of the burst of the {@link #globalRate} are used up, 0 to the burst: with all of them, nothing starts; 0: there is
     * none} After a pause up to an eighth of the burst may stay used up.
     */
    int globalRateUsed();

    /** {@return in how long the {@link #globalRate} lets one more start, whosever turn it is; zero: now; empty: there is no rate} */
    Optional<Duration> nextStartIn();

    /**
     * {@return of how many keys whose groups were forgotten as idle the executor remembers how far their rates are used up, 0 or more} Each is
     * let go of once its rates have caught up.
     */
    int rememberedRates();

    /** {@return how many may wait; {@link Integer#MAX_VALUE}: no limit} */
    int globalQueueThreshold();

    /** {@return the totals since the executor was made, removed groups included} */
    TaskTotals totals();
}
