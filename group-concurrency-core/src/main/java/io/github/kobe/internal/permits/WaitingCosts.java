package io.github.kobe.internal.permits;

import io.github.kobe.Costs;
import java.util.HashMap;
import java.util.Map;

/**
 * What the work that waits in one group costs, as far as it says so itself, by the names of rates. There may be no rate of such a name,
 * and there may be one later. Guarded by the group's guard.
 */
final class WaitingCosts {

    /** Of one name. */
    private static final class Sum {
        private long units;
        private int works;
    }

    private final Map<String, Sum> sums = new HashMap<>();

    /** Counts work that is about to wait. If it fails, nothing is counted. */
    void add(Costs costs) {
        for (int i = 0; i < costs.size(); i++) {
            if (!sums.containsKey(costs.name(i))) {
                sums.put(costs.name(i), new Sum()); // what needs memory, first
            }
        }
        for (int i = 0; i < costs.size(); i++) {
            Sum sum = sums.get(costs.name(i));
            if (sum != null) {
                sum.units += costs.cost(i);
                sum.works++;
            }
        }
    }

    /** Work waits no longer. It needs no memory. */
    void remove(Costs costs) {
        for (int i = 0; i < costs.size(); i++) {
            Sum sum = sums.get(costs.name(i));
            if (sum != null) {
                sum.units -= costs.cost(i);
                sum.works--;
                if (sum.works == 0) {
                    sums.remove(costs.name(i));
                }
            }
        }
    }

    /**
     * {@return what all of it costs of one rate}
     *
     * @param waiting how many wait
     * @param byDefault what each of them costs that says nothing of that
     */
    long costOf(String name, long waiting, int byDefault) {
        Sum sum = sums.get(name);
        return sum == null ? waiting * byDefault : sum.units + (waiting - sum.works) * byDefault;
    }
}
