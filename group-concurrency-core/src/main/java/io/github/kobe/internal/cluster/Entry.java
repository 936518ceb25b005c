package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Demand;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one node at one resource. Stamps are of the log.
 *
 * @param has what is counted for it
 * @param want what it needs in all
 * @param limit the limit that it is configured with
 * @param since its place in line: when it began to wait, gave some back, or last got some
 * @param granted when it last got some, which begins its turn
 * @param fell when it ceased to wait without getting all
 * @param spoke when it last spoke of this resource
 * @param hinted when it was last hinted, unless it has spoken since
 * @param told how much it was last told to keep
 */
record Entry(
        String session,
        int has,
        int want,
        int limit,
        long since,
        long granted,
        long fell,
        long spoke,
        long hinted,
        int told) {

    /** {@return what a node states, before it is answered} */
    static Entry stated(String session, @Nullable Entry before, Demand demand, long log) {
        Entry old = before == null ? absent(session, demand) : before;
        boolean waits = demand.want() > demand.has();
        boolean keepsPlace = old.isWaiting() || log - old.fell < Times.PLACE;
        boolean goesBehind = demand.has() < old.has || (waits && !keepsPlace);
        return new Entry(
                session,
                demand.has(),
                demand.want(),
                demand.limit(),
                goesBehind ? log : old.since,
                demand.has() > old.has ? log : old.granted,
                waits ? Times.NEVER : old.isWaiting() ? log : old.fell,
                log,
                Times.NEVER,
                old.told);
    }

    private static Entry absent(String session, Demand demand) {
        long never = Times.NEVER;
        return new Entry(session, 0, 0, demand.limit(), never, never, never, never, never, 0);
    }

    /** {@return it with what the store now counts for it and tells it} */
    Entry answered(Share share, long log) {
        boolean gets = share.counted() > has;
        long placed = gets ? log : since;
        long turn = gets ? log : granted;
        return new Entry(session, share.counted(), want, limit, placed, turn, fell, spoke, hinted, share.keep());
    }

    Entry hinted(long log) {
        return new Entry(session, has, want, limit, since, granted, fell, spoke, log, told);
    }

    Claim claim(boolean silent, int most) {
        int need = Math.min(silent ? Math.min(has, want) : want, most);
        return new Claim(session, has, need, since, granted, spoke, hinted, told);
    }

    boolean isWaiting() {
        return want > has;
    }

    /** {@return whether it has and wants nothing} */
    boolean isEmpty() {
        return has == 0 && want == 0;
    }

    /** {@return whether nothing is left of it, not even a place in line} */
    boolean isForgotten(long log) {
        return isEmpty() && log - fell >= Times.PLACE;
    }
}
