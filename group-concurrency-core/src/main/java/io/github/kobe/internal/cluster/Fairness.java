package io.github.kobe.internal.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How much of a limit each node is to have: all that it needs, if that is enough for all; else at most a level that is the same
 * for all. What can't be divided any further, the <em>rest</em>, goes round one by one: first those keep one of it whose turn
 * isn't over, then come those who wait, the longest first, then those whose turn is over, and of these the one first that got
 * its own last. So who had his the longest passes it on.
 */
final class Fairness {

    /** How long one of the rest stays at least, in milliseconds. */
    static final long TURN = 20;

    private static final Comparator<Party> LONGEST_WAITING =
            Comparator.<Party>comparingLong(party -> party.claim.since()).thenComparing(party -> party.claim.session());

    private static final Comparator<Party> LAST_GRANTED = Comparator.<Party>comparingLong(
                    party -> party.claim.granted())
            .reversed()
            .thenComparing(party -> party.claim.session());

    /** What a node is to have. */
    static final class Party {

        final Claim claim;

        /** How much it is to have now. */
        private int fair;

        /** How much of that is left after its turn. */
        private int later;

        private Party(Claim claim) {
            this.claim = claim;
            fair = claim.need();
            later = claim.need();
        }

        private void give(int now, int then) {
            fair = now;
            later = then;
        }

        int fair() {
            return fair;
        }

        int later() {
            return later;
        }

        /** {@return how much it lacks of its share} */
        int lacks() {
            return Math.max(0, fair - claim.has());
        }
    }

    private final List<Party> parties = new ArrayList<>();

    /** Whether not everybody can have what he needs. */
    private final boolean scarce;

    Fairness(List<Claim> claims, int limit, long now) {
        for (Claim claim : claims) {
            parties.add(new Party(claim));
        }
        List<Party> open = new ArrayList<>(parties);
        open.sort(Comparator.comparingInt(party -> party.claim.need()));
        int left = limit;
        int met = 0;
        while (met < open.size() && open.get(met).claim.need() <= left / (open.size() - met)) {
            left -= open.get(met).claim.need();
            met++;
        }
        scarce = met < open.size();
        if (scarce) {
            List<Party> level = open.subList(met, open.size());
            share(level, left / level.size(), left % level.size(), now);
        }
    }

    private static void share(List<Party> open, int level, int rest, long now) {
        List<Party> waiters = new ArrayList<>();
        List<Party> holders = new ArrayList<>();
        for (Party party : open) {
            (party.claim.has() > level ? holders : waiters).add(party);
        }
        waiters.sort(LONGEST_WAITING);
        holders.sort(LAST_GRANTED);
        int inTurn = 0;
        while (inTurn < holders.size() && now - holders.get(inTurn).claim.granted() < TURN) {
            inTurn++;
        }
        for (int i = 0; i < waiters.size(); i++) {
            int share = inTurn + i < rest ? level + 1 : level;
            waiters.get(i).give(share, share);
        }
        for (int i = 0; i < holders.size(); i++) {
            int behindAll = waiters.size() + i < rest ? level + 1 : level;
            int inItsTurn = i < rest ? level + 1 : level;
            holders.get(i).give(i < inTurn ? inItsTurn : behindAll, behindAll);
        }
    }

    boolean isScarce() {
        return scarce;
    }

    /** {@return the parties, in the order of the claims} */
    List<Party> parties() {
        return parties;
    }

    /** {@return who lacks some of his share, in the order in which they get what is free} */
    List<Party> line() {
        return parties.stream()
                .filter(party -> party.lacks() > 0)
                .sorted(LONGEST_WAITING)
                .toList();
    }
}
