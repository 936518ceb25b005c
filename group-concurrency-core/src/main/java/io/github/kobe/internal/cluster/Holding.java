package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.internal.base.Lease;
import java.util.concurrent.TimeUnit;

/**
 * What a node has of one group, what it needs, and what it has said of that. Times are in nanoseconds of the engine's clock.
 * Used by the cluster's thread alone.
 */
final class Holding {

    /** Later than any time. */
    static final long NEVER = Long.MAX_VALUE;

    /** How long a request that may not wait counts as a need. */
    private static final long REFUSED_COUNTS = TimeUnit.MILLISECONDS.toNanos(200);

    /** When who lacks some asks again; after that, at heartbeats. */
    private static final long[] AGAIN = {
        TimeUnit.MILLISECONDS.toNanos(250), TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.MILLISECONDS.toNanos(1_000)
    };

    /** Why a node speaks of it, the most urgent first. */
    enum Cause {
        /** It lacks some, and has not said so. */
        LACKS,
        /** It has less than it has said. */
        GIVES_BACK,
        /** It has said so, and says it again; or it has another limit. */
        AGAIN,
        NONE
    }

    final String key;
    final String resource;
    final Usage usage;

    /** How many the engine may have in flight. */
    private int leased;

    /**
     * The limit that it is configured with; 1 as long as nobody knows. It also caps what the group needs and may have. That is
     * right since each look at the group sets it first, and nothing is said or lowered without a look.
     */
    private int limit = 1;

    // ---- how the group stood when it was last looked at, under its guard
    private int out;
    private int kept;
    private boolean unwanted;
    private int refused;
    private long refusedAt;
    /** How much work of the group had ended. */
    private long ended;

    // ---- what was said
    /** Whether the store knows of it, in this session and epoch. */
    private boolean said;
    /** Whether something was said of it in this session, by either side, that is not settled: the store may count anything. */
    private boolean unsettled;
    /** How much the store counts, as far as it has answered in this session. */
    private int counted;

    private int wanted;
    /** The limit that the store was told. */
    private int limitTold;
    /** How much was leased when it was last spoken of. */
    private int leasedThen;
    /** How often it was asked for in vain. */
    private int asked;

    private long askAgainAt = NEVER;

    // ---- what was heard
    /** The limit in force over all nodes: nobody needs more. */
    private int inForce;

    private boolean contended;
    private int keep;
    private long turnEnds = NEVER;

    Holding(String key, long memory, long now) {
        this.key = key;
        resource = Demand.GROUP + key;
        usage = new Usage(memory, now);
    }

    // ---- the group

    /** From now on the engine may have so many in flight, unless it had more. */
    void mayHave(int capacity) {
        leased = Math.max(leased, capacity);
    }

    /** The engine may have so many in flight, and stands like that. */
    void stands(int capacity, Lease.Reading reading, long now) {
        leased = capacity;
        out = reading.out();
        kept = reading.kept();
        unwanted = reading.unwanted();
        if (reading.refused() > 0) {
            refused = reading.refused();
            refusedAt = now;
        }
        usage.note(now, out);
    }

    /**
     * A sample of how the group stands, taken without its guard: good enough to see that it needs less, and that it is to be
     * looked at.
     *
     * @param endedByNow how much work of it has ended
     */
    void sampled(int inFlight, int queued, long endedByNow, long now) {
        long sinceThen = endedByNow - ended;
        ended = endedByNow;
        out = inFlight;
        kept = Math.min(kept, queued);
        int least = sinceThen == 0 ? inFlight : Math.max(1, inFlight);
        int most = Math.clamp(sinceThen, inFlight, Integer.MAX_VALUE);
        usage.sample(now, least, most);
    }

    /** There is no such group any more, or no other instance shares its limit. */
    void forgetGroup() {
        leased = 0;
        out = 0;
        kept = 0;
        refused = 0;
        unwanted = false;
    }

    /** The limit that the group is configured with is {@code most}. */
    void configured(int most) {
        limit = most;
    }

    int leased() {
        return leased;
    }

    /** {@return how much it uses or may use} */
    int has() {
        return Math.max(out, leased);
    }

    private int needs(long now) {
        long asking = now - refusedAt < REFUSED_COUNTS ? refused : 0;
        return (int) Math.min((long) out + kept + asking, Math.max(out, mostInForce()));
    }

    /** {@return the limit in force, as far as is known} What was heard is at most the limit that was told. */
    private int mostInForce() {
        return limit > limitTold ? limit : Math.min(inForce, limit);
    }

    /** {@return how much is worth having: what it needs, and of what it has, what was in use lately} */
    private int worth(long now) {
        int needs = needs(now);
        return unwanted ? needs : Math.max(needs, Math.min(leased, contended ? usage.recently() : usage.forLong()));
    }

    /**
     * {@return how many the engine is to have in flight from now on, at most as many as now}
     *
     * @param ending whether the engine takes no more work
     */
    int bound(long now, boolean ending) {
        int bound = now >= turnEnds ? Math.min(leased, keep) : leased;
        return Math.min(Math.min(bound, limit), ending ? needs(now) : worth(now));
    }

    /** {@return whether so many wait that more may be needed than was said} */
    boolean needsMoreThanSaid(int queued) {
        return kept > 0 && (long) out + queued >= 2L * wanted;
    }

    /** {@return when it may keep no more than was said; {@link #NEVER}: nobody else needs some} */
    long turnEnds() {
        return turnEnds;
    }

    // ---- what to say

    /** {@return why it is to be spoken of now} */
    Cause cause(long now) {
        int wants = worth(now);
        boolean lacks = wants > has();
        if (lacks && (!saysThatItLacks() || wants >= 2L * wanted)) {
            return Cause.LACKS;
        }
        if (has() < counted) {
            return Cause.GIVES_BACK;
        }
        boolean isNews = saysThatItLacks() && (!lacks || 2L * wants <= wanted);
        boolean isUnknown = !said && has() > 0;
        boolean hasAnotherLimit = said && limit != limitTold;
        return isNews || isUnknown || hasAnotherLimit || now >= askAgainAt ? Cause.AGAIN : Cause.NONE;
    }

    /** {@return whether it wants more than the store counts, as far as it has said} */
    boolean saysThatItLacks() {
        return said && wanted > counted;
    }

    /** {@return whether the store can't know of it, and needn't} */
    boolean isUnknown() {
        return has() == 0 && !said && !unsettled && counted == 0 && wanted == 0;
    }

    /** {@return whether there is nothing of it, and the store knows that} */
    boolean isNothing(long now) {
        return has() == 0 && needs(now) == 0 && !unsettled && counted == 0 && wanted == 0;
    }

    Demand demand(long now) {
        int wants = worth(now);
        int spare = wants > has() && !unwanted ? Math.max(1, wants / 2) : 0;
        return new Demand(resource, has(), wants, spare, limit);
    }

    /** It is said from now on. */
    void spoken() {
        leasedThen = leased;
        unsettled = true;
    }

    /** The store may have forgotten what was said. */
    void unsay() {
        said = false;
    }

    /** Nothing has been said of it yet: the session is a new one. */
    void unsayInNewSession() {
        said = false;
        unsettled = false;
        counted = 0;
        wanted = 0;
    }

    // ---- what was heard

    /**
     * The store answers.
     *
     * @return how many the engine may have in flight: more than now only if that was granted, since then all that is counted
     *     for all nodes is within the limit
     */
    int granted(Demand demand, Grant grant, long now) {
        said = true;
        unsettled = false;
        counted = grant.counted();
        wanted = demand.want();
        limitTold = demand.limit();
        boolean inVain = wanted > counted;
        askAgainAt = inVain && asked < AGAIN.length ? now + AGAIN[asked] : NEVER;
        asked = inVain ? Math.min(asked + 1, AGAIN.length) : 0;
        contended = grant.keep() < counted;
        keep = grant.keep();
        inForce = grant.limit();
        turnEnds = contended ? now + grant.turn().toNanos() : NEVER;
        int loweredSince = leasedThen - leased;
        if (counted == demand.has() || counted - loweredSince <= leased) {
            return leased;
        }
        usage.keep(now, counted - loweredSince);
        return counted - loweredSince;
    }

    /** Somebody needs what the store counts for it, whatever that is, or there may be something for it. */
    void hinted() {
        contended = true;
        unsettled = true;
    }
}
