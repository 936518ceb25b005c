package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What groups hold of a global limit while all of them always have work, whose tasks differ in length: how far the one that
 * is furthest off its share is off it. What each holds is printed.
 */
final class Held extends Workload {

    private final List<Integer> weights;
    private final List<Double> shares;
    private final int millis;

    /**
     * @param weights of the groups
     * @param shares how many permits each of them should hold
     * @param millis how long it is measured, after a tenth of that
     */
    private Held(String id, String weighted, List<Integer> weights, List<Double> shares, int millis) {
        super(
                id,
                "permits held by " + LongAndShort.TITLE + weighted + ", where they are furthest off "
                        + shares.stream().map(Figure::of).collect(Collectors.joining(" : ")),
                "× off its share",
                Goal.atMost(1.05));
        this.weights = weights;
        this.shares = shares;
        this.millis = millis;
    }

    /** All have the same weight. */
    static Held equally(String id, int millis) {
        return new Held(id, "", List.of(), List.of(7.0, 6.5, 6.5), millis);
    }

    static Held byWeight(String id, List<Integer> weights, List<Double> shares, int millis) {
        String text = weights.stream().map(String::valueOf).collect(Collectors.joining(" : ", ", weights ", ""));
        return new Held(id, text, weights, shares, millis);
    }

    @Override
    List<Entrant> entrants() {
        return weights.isEmpty() ? List.of(Entrant.OURS, Entrant.SEMAPHORE) : List.of(Entrant.OURS);
    }

    @Override
    boolean isSteady() {
        return true;
    }

    @Override
    Limits limits() {
        return LongAndShort.limits();
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        if (!weights.isEmpty()) {
            GroupExecutor executor = ((Ours) contestant).executor();
            for (int group = 0; group < weights.size(); group++) {
                executor.setLimits(
                        LongAndShort.GROUPS.get(group), GroupLimits.unset().withWeight(weights.get(group)));
            }
        }
        LongAndShort groups = new LongAndShort();
        return groups.during(contestant, millis / 10, () -> furthestOff(contestant, groups.inside(millis)));
    }

    @SuppressWarnings("SystemOut") // the table has room for one figure only
    private double furthestOff(Contestant<?> contestant, double[] held) {
        System.out.println(id() + ", " + contestant.getClass().getSimpleName() + ": "
                + Arrays.stream(held).mapToObj(Figure::of).collect(Collectors.joining(" : ")) + " permits held");
        double furthest = 1;
        for (int group = 0; group < held.length; group++) {
            double off = held[group] / shares.get(group);
            furthest = Math.max(furthest, Math.max(off, 1 / off));
        }
        return furthest;
    }
}
