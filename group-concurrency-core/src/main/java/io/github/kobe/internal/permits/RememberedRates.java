package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Housekeeper;
import io.github.kobe.internal.base.Removal;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What groups that have been forgotten had started, as far as it is of account for their rates: who comes back under the same
 * key goes on from there. Each is kept until it has rested.
 *
 * <p>A dying group is noted before it leaves the map of groups, and the next one of its key looks here in its first critical
 * section, when it is in that map. So the one sees what the other has left. Thread-safe.
 */
final class RememberedRates {

    private final Housekeeper housekeeper;
    private final ConcurrentHashMap<String, GroupRate> rates = new ConcurrentHashMap<>();

    RememberedRates(Housekeeper housekeeper) {
        this.housekeeper = housekeeper;
    }

    /**
     * Keeps what a group has that dies; under its guard.
     *
     * @return false if there is no memory for that, or no thread that would let go of it: then the group has to live on
     */
    boolean keep(String key, GroupRate rate) {
        try {
            rates.put(key, rate);
            if (housekeeper.at(
                    rate.restedFrom(), () -> rates.get(key) != rate, now -> Removal.from(rates, key, rate))) {
                return true;
            }
        } catch (OutOfMemoryError oom) {
            // As without a thread.
        }
        boolean unused = Removal.from(rates, key, rate);
        return false;
    }

    /** {@return what was kept under that key, and isn't any more; {@code null}: nothing} It needs no memory. */
    @Nullable
    GroupRate take(String key) {
        GroupRate kept = rates.get(key);
        if (kept == null || !Removal.from(rates, key, kept)) {
            return null;
        }
        housekeeper.alarmCancelled();
        return kept;
    }

    /** {@return of how many keys} */
    int size() {
        return rates.size();
    }
}
