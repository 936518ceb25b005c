package io.github.kobe.internal.cluster;

import io.github.kobe.internal.cluster.Fairness.Party;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Divides a limit between nodes, on behalf of one of them that has just said what it has and needs. Pure and exact; where stamps
 * are the same, the order is that of sessions.
 *
 * <p>What a node has is never taken from it: it is asked to keep less. So nothing is granted beyond what is free, and of that
 * nothing that is for somebody who comes first.
 */
final class Division {

    private final List<Claim> claims;
    private final int me;
    private final int limit;
    private final long pause;
    private final long now;
    private final Fairness fairness;

    /** How much all have. */
    private final long total;

    private Division(List<Claim> claims, int me, int limit, long pause, long now) {
        this.claims = claims;
        this.me = me;
        this.limit = limit;
        this.pause = pause;
        this.now = now;
        fairness = new Fairness(claims, limit, now);
        total = claims.stream().mapToLong(Claim::has).sum();
    }

    /**
     * Divides.
     *
     * @param claims of all nodes that have or want some, his own included
     * @param me which of them asks
     * @param spare how much he would like beyond his need
     * @param limit how much there is
     * @param pause {@link Times#pause}
     * @param now the log
     * @param learning whether there may be others who haven't said yet what they have: then nobody gets any, nor is asked for
     *     what he has
     */
    static Share divide(List<Claim> claims, int me, int spare, int limit, long pause, long now, boolean learning) {
        int has = claims.get(me).has();
        if (learning) {
            return new Share(has, has, 0, List.of());
        }
        Division before = new Division(claims, me, limit, pause, now);
        int needed = before.grant();
        Division after = needed > 0 ? before.with(needed) : before;
        int extra = after.spare(spare);
        return (extra > 0 ? after.with(extra) : after).share();
    }

    private Division with(int more) {
        List<Claim> changed = new ArrayList<>(claims);
        changed.set(me, claims.get(me).with(more, now));
        return new Division(changed, me, limit, pause, now);
    }

    /** {@return how much of what is free is for me, after those who come first} */
    private int grant() {
        long free = limit - total;
        for (Party party : fairness.line()) {
            if (free <= 0) {
                return 0;
            }
            if (isMe(party)) {
                return (int) Math.min(party.lacks(), free);
            }
            free -= party.lacks();
        }
        return 0;
    }

    /** {@return how much I may have beyond my need, if everybody has his: of what is free, but for one for each node} */
    private int spare(int wanted) {
        if (isContended()) {
            return 0;
        }
        Claim mine = claims.get(me);
        long beyond = (long) mine.need() + wanted - mine.has();
        return (int) Math.max(0, Math.min(beyond, limit - total - claims.size()));
    }

    private Share share() {
        Party mine = fairness.parties().get(me);
        int has = mine.claim.has();
        int keep = keep(mine);
        long turn = Math.min(has, mine.fair()) > keep ? mine.claim.granted() + Fairness.TURN - now : 0;
        return new Share(has, keep, turn, hints());
    }

    /** {@return whether somebody needs what another could give back} */
    private boolean isContended() {
        return fairness.isScarce() || total > limit || !fairness.line().isEmpty();
    }

    /** {@return how much of what it has a node is to keep after its turn} */
    private int keep(Party party) {
        int has = party.claim.has();
        return isContended() ? Math.min(has, party.later()) : has;
    }

    private List<String> hints() {
        Set<String> hints = new LinkedHashSet<>();
        long free = limit - total;
        for (Party party : fairness.line()) {
            if (free > 0 && mayBeHinted(party)) {
                hints.add(party.claim.session());
            }
            free -= party.lacks();
        }
        boolean lacking = claims.get(me).need() > claims.get(me).has();
        for (Party party : fairness.parties()) {
            boolean newToIt = keep(party) < party.claim.told();
            if (mayBeHinted(party) && (newToIt || (lacking && mayBeOver(party)))) {
                hints.add(party.claim.session());
            }
        }
        return List.copyOf(hints);
    }

    private boolean mayBeHinted(Party party) {
        return !isMe(party) && now - party.claim.hinted() >= pause;
    }

    /** {@return whether what a node needs may have changed since it last spoke} */
    private boolean mayBeOver(Party party) {
        return party.claim.has() > 0 && now - party.claim.spoke() >= pause;
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
    private boolean isMe(Party party) {
        return party == fairness.parties().get(me);
    }
}
