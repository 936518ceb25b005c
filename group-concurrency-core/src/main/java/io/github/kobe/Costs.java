package io.github.kobe;

import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What work costs of the {@linkplain GroupLimits#withRates rates} of its group, by their names.
 *
 * <pre>{@code
 * Costs.of("tokens", 1_200)
 * }</pre>
 *
 * <p>Where the work names no cost of a rate, that rate's {@linkplain Rate#withDefaultCost default} counts. A name of which the group has no
 * rate counts nothing. The cost is charged when the work starts; it is an estimate that {@link GroupExecutor#settle} corrects.
 *
 * <p>Immutable.
 *
 * @since 0.1.0
 */
public final class Costs {

    /** The largest cost. */
    static final int MAX = 1_000_000_000;

    private static final Costs UNSAID = new Costs(new String[0], new int[0]);

    /** In their order; there are few. */
    private final String[] names;

    private final int[] costs;

    private Costs(String[] names, int[] costs) {
        this.names = names;
        this.costs = costs;
    }

    /** {@return costs that say nothing: of each rate the default counts} */
    public static Costs unsaid() {
        return UNSAID;
    }

    /**
     * {@return what it costs of one rate}
     *
     * @param rate the {@linkplain Rate#name name of the rate}
     * @param cost 0 to 1,000,000,000; 0: it isn't counted
     * @throws IllegalArgumentException if the cost is out of its range
     */
    public static Costs of(String rate, int cost) {
        return UNSAID.and(rate, cost);
    }

    /**
     * {@return these costs, and what it costs of one more rate, or another cost of the same}
     *
     * @param rate as in {@link #of}
     * @param cost as in {@link #of}
     * @throws IllegalArgumentException if the cost is out of its range
     */
    public Costs and(String rate, int cost) {
        Objects.requireNonNull(rate, "rate");
        if (cost < 0 || cost > MAX) {
            throw new IllegalArgumentException("A cost of '" + rate + "' is 0 to " + MAX + ", and not " + cost);
        }
        int at = indexOf(rate);
        if (at >= 0) {
            int[] changed = costs.clone();
            changed[at] = cost;
            return new Costs(names, changed);
        }
        String[] moreNames = Arrays.copyOf(names, names.length + 1);
        int[] moreCosts = Arrays.copyOf(costs, costs.length + 1);
        moreNames[names.length] = rate;
        moreCosts[names.length] = cost;
        return new Costs(moreNames, moreCosts);
    }

    /**
     * {@return what it costs of one rate; empty: it says nothing of that}
     *
     * @param rate as in {@link #of}
     */
    public OptionalInt costOf(String rate) {
        int at = indexOf(Objects.requireNonNull(rate, "rate"));
        return at < 0 ? OptionalInt.empty() : OptionalInt.of(costs[at]);
    }

    /**
     * {@return what it costs of one rate}
     *
     * @param rate as in {@link #of}
     * @param otherwise what is returned if it says nothing of that
     */
    public int costOf(String rate, int otherwise) {
        int at = indexOf(rate);
        return at < 0 ? otherwise : costs[at];
    }

    /** {@return whether they say nothing} */
    public boolean areUnsaid() {
        return names.length == 0;
    }

    /** {@return how many rates they say a cost of} */
    public int size() {
        return names.length;
    }

    /**
     * {@return the name of one of the rates}
     *
     * @param index 0 to {@link #size} - 1
     * @throws IndexOutOfBoundsException if there is none
     */
    public String name(int index) {
        return names[index];
    }

    /**
     * {@return what it costs of one of the rates}
     *
     * @param index 0 to {@link #size} - 1
     * @throws IndexOutOfBoundsException if there is none
     */
    public int cost(int index) {
        return costs[index];
    }

    private int indexOf(String rate) {
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(rate)) {
                return i;
            }
        }
        return -1;
    }

    /** Equal are those that say the same; the order doesn't matter. */
    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof Costs that) || names.length != that.names.length) {
            return false;
        }
        for (int i = 0; i < names.length; i++) {
            int at = that.indexOf(names[i]);
            if (at < 0 || that.costs[at] != costs[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int sum = 0;
        for (int i = 0; i < names.length; i++) {
            sum += names[i].hashCode() ^ costs[i];
        }
        return sum;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < names.length; i++) {
            text.append(i == 0 ? "" : ", ").append(names[i]).append('=').append(costs[i]);
        }
        return text.toString();
    }
}
