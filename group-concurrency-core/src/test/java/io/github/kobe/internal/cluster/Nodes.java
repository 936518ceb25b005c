package io.github.kobe.internal.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Nodes that share one limit, to be divided again and again. */
final class Nodes {

    /** So long ago that no turn and no pause reaches back to it. */
    static final long LONG_AGO = 1_000;

    static final long NOW = 100_000;

    static final long PAUSE = new Times(15_000).pause();

    private final int limit;
    private List<Claim> claims;

    Nodes(int limit, List<Claim> claims) {
        this.limit = limit;
        this.claims = new ArrayList<>(claims);
    }

    /** One whose turn is over, who waits since long ago, and who has been told to keep what it has. */
    static Claim node(String session, int has, int need) {
        return node(session, has, need, LONG_AGO, LONG_AGO);
    }

    static Claim node(String session, int has, int need, long since, long granted) {
        return new Claim(session, has, need, since, granted, NOW, Times.NEVER, has);
    }

    /** Any state at all, also above the limit; stamps are often the same. */
    static Nodes any(Random random) {
        int limit = 1 + random.nextInt(random.nextBoolean() ? 4 : 30);
        int most = 1 + random.nextInt(2 * limit);
        List<Claim> claims = new ArrayList<>();
        for (int i = 1 + random.nextInt(10); i > 0; i--) {
            int has = random.nextInt(3) == 0 ? 0 : random.nextInt(most);
            int need = Math.min(limit, random.nextInt(4) == 0 ? has : random.nextInt(most + 1));
            long since = NOW - random.nextInt(6);
            long granted = NOW - random.nextInt(random.nextBoolean() ? 40 : 4_000);
            long hinted = random.nextBoolean() ? Times.NEVER : NOW - random.nextInt(1_000);
            long spoke = NOW - random.nextInt(1_000);
            int told = has == 0 ? 0 : random.nextInt(has + 1);
            claims.add(new Claim("s" + i, has, need, since, granted, spoke, hinted, told));
        }
        Collections.shuffle(claims, random);
        return new Nodes(limit, claims);
    }

    /** Any state in which nobody has more than he needs, and all of that together is within the limit. */
    static Nodes anyWithinTheirNeeds(Random random) {
        Nodes nodes = any(random);
        int left = nodes.limit;
        for (int i = 0; i < nodes.size(); i++) {
            Claim claim = nodes.get(i);
            int has = Math.min(random.nextInt(left + 1), claim.need());
            left -= has;
            nodes.claims.set(i, with(claim, has, claim.need()));
        }
        return nodes;
    }

    Nodes shuffled(Random random) {
        List<Claim> others = new ArrayList<>(claims);
        Collections.shuffle(others, random);
        return new Nodes(limit, others);
    }

    Share ask(int me) {
        return ask(me, 0);
    }

    Share ask(int me, int spare) {
        return Division.divide(claims, me, spare, limit, PAUSE, NOW, false);
    }

    /** One asks, and has what he is granted; {@return whether that is any} */
    boolean take(int me) {
        Share share = ask(me);
        Claim claim = claims.get(me);
        claims.set(me, share.counted() > claim.has() ? claim.with(share.counted() - claim.has(), NOW) : claim);
        return share.counted() > claim.has();
    }

    /** One gives back what he is not to keep when his turn is over, and goes behind all others; {@return whether that is any} */
    boolean give(int me) {
        Claim claim = claims.get(me);
        int keep = ask(me).keep();
        claims.set(me, with(claim, keep, claim.need()));
        return keep < claim.has();
    }

    private static Claim with(Claim claim, int has, int need) {
        return new Claim(claim.session(), has, need, claim.since(), claim.granted(), NOW, Times.NEVER, has);
    }

    List<Claim> claims() {
        return claims;
    }

    Claim get(int at) {
        return claims.get(at);
    }

    int size() {
        return claims.size();
    }

    int limit() {
        return limit;
    }

    long had() {
        return claims.stream().mapToLong(Claim::has).sum();
    }

    long needed() {
        return claims.stream().mapToLong(Claim::need).sum();
    }

    @Override
    public String toString() {
        return limit + " for " + claims;
    }
}
