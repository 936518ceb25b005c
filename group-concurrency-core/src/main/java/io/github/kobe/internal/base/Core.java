package io.github.kobe.internal.base;

import java.util.concurrent.atomic.AtomicLong;

/** What every part of an engine may know: its clock, the policy in force, how far its end has come, and whom to tell. */
public class Core {

    /** The latest reading of the clock: 146 years, as late as a {@code Node} can keep a time. */
    public static final long LATEST = (1L << 62) - 1;

    public final Environment environment;

    /** Who leases what several instances share. */
    public final ClusterSignals cluster;

    private final long origin;

    /** That of the first policy, so that it can't change between two checks of one key. */
    private final int maxKeyLength;

    /** Written under the ledger's lock. */
    public volatile CompiledPolicy policy;

    public final Stage stage = new Stage();

    /**
     * How many nodes wait in all groups that count. A node counts from the critical
     * section that queues it to the one that takes it out.
     */
    public final AtomicLong waiting = new AtomicLong();

    /** How work of groups that are gone ended. */
    public final Accounts accounts = new Accounts();

    public final Reports reports;

    public final Housekeeper housekeeper;

    public Core(CompiledPolicy policy, Environment environment, ClusterSignals cluster) {
        this.environment = environment;
        this.cluster = cluster;
        this.origin = environment.nanoTime().getAsLong() - 1;
        this.policy = policy;
        this.maxKeyLength = policy.source().maxKeyLength();
        this.reports = new Reports(this);
        this.housekeeper = new Housekeeper(this);
    }

    /** {@return whether it shares limits with other instances} */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    public final boolean isInCluster() {
        return cluster != ClusterSignals.NONE;
    }

    /** {@return the clock's reading} */
    public final long nanoTime() {
        return environment.nanoTime().getAsLong();
    }

    /** {@return nanoseconds since just before the engine was made: at least 1} */
    public final long now() {
        return sinceOrigin(nanoTime());
    }

    /**
     * {@return a reading of the clock as of {@link #now}} A clock that has gone back behind the origin, or far beyond any
     * real uptime, stands still here: a time that a node can't keep would lose it.
     */
    public final long sinceOrigin(long nanoTime) {
        return Math.clamp(nanoTime - origin, 1, LATEST);
    }

    /** {@return the reading of the clock of which {@link #sinceOrigin} has made that} */
    public final long nanoTimeAt(long sinceOrigin) {
        return origin + sinceOrigin;
    }

    /**
     * Checks a key before anybody hears of it, and before a group is made for it: those there are have passed.
     *
     * @throws IllegalArgumentException if it is blank, or too long
     */
    public final void requireKey(String key) {
        KeyText.requireText(key);
        if (key.length() > maxKeyLength) {
            throw new IllegalArgumentException("The group key '" + KeyText.printable(key) + "' has " + key.length()
                    + " characters; allowed: at most " + maxKeyLength);
        }
    }

    /**
     * Runs {@code report} on a fresh virtual thread: at once, or as soon as there is one. Only where no thread can be had
     * that would see to it, not even the engine's own, it runs here.
     */
    public final void report(Report report) {
        if (!handOver(report)) {
            report.run();
        }
    }

    /** {@return whether a fresh virtual thread runs {@code report}, or will; it needs no memory but for that thread} */
    public final boolean handOver(Report report) {
        try {
            environment
                    .taskThreads()
                    .unstarted("group-concurrency-report", report)
                    .start();
            return true;
        } catch (Throwable noThread) {
            return housekeeper.tryRetry(report);
        }
    }
}
