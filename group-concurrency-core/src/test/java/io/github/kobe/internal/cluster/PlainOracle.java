package io.github.kobe.internal.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Max-min fairness as it is defined: hands out the limit one by one, each to whom has been given the least and needs more. */
final class PlainOracle {

    private PlainOracle() {}

    /** {@return how much each is to have, in the order of the claims} */
    static int[] shares(List<Claim> claims, int limit, long now) {
        int[] given = new int[claims.size()];
        for (int left = limit; left > 0; left--) {
            int next = -1;
            for (int i = 0; i < given.length; i++) {
                if (given[i] < claims.get(i).need() && (next < 0 || comesBefore(claims, given, i, next, now))) {
                    next = i;
                }
            }
            if (next < 0) {
                break;
            }
            given[next]++;
        }
        return given;
    }

    private static boolean comesBefore(List<Claim> claims, int[] given, int one, int other, long now) {
        if (given[one] != given[other]) {
            return given[one] < given[other];
        }
        Claim a = claims.get(one);
        Claim b = claims.get(other);
        int rankOfA = rank(a, given[one], now);
        int rankOfB = rank(b, given[other], now);
        if (rankOfA != rankOfB) {
            return rankOfA < rankOfB;
        }
        long stampOfA = rankOfA == 1 ? a.since() : -a.granted();
        long stampOfB = rankOfB == 1 ? b.since() : -b.granted();
        return stampOfA != stampOfB ? stampOfA < stampOfB : a.session().compareTo(b.session()) < 0;
    }

    /** Of those who could have one more: 0 has it and its turn isn't over, 1 waits for it, 2 has had its turn. */
    private static int rank(Claim claim, int given, long now) {
        if (claim.has() <= given) {
            return 1;
        }
        return now - claim.granted() < 20 ? 0 : 2;
    }

    /** {@return how much one gets of what is free, if all who lack some of their shares came in the order of their places} */
    static int granted(List<Claim> claims, int me, int limit, long now) {
        int[] shares = shares(claims, limit, now);
        long free = limit - claims.stream().mapToLong(Claim::has).sum();
        List<Integer> line = new ArrayList<>();
        for (int i = 0; i < shares.length; i++) {
            line.add(i);
        }
        line.sort(Comparator.<Integer>comparingLong(i -> claims.get(i).since())
                .thenComparing(i -> claims.get(i).session()));
        int granted = 0;
        for (int i : line) {
            int gets = 0;
            while (free > 0 && claims.get(i).has() + gets < shares[i]) {
                gets++;
                free--;
            }
            granted = i == me ? gets : granted;
        }
        return granted;
    }
}
