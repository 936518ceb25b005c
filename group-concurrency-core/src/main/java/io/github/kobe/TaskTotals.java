package io.github.kobe;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How much work there has been, and how it ended. At rest {@code submitted} is the sum of the other numbers, of what
 * waits and of what is in flight.
 *
 * @param submitted all work that requested admission; re-entrant calls don't
 * @param succeeded work that returned, and permits that were closed
 * @param failed work that threw
 * @param cancelled work that was cancelled, and waits that their caller gave up
 * @param rejectedByReason work that was rejected, for each reason; every reason is present, in the order of the enum
 * @since 0.1.0
 */
public record TaskTotals(
        long submitted, long succeeded, long failed, long cancelled, Map<RejectionReason, Long> rejectedByReason) {

    /** Keeps an unmodifiable copy of the map. */
    public TaskTotals {
        Map<RejectionReason, Long> copy = new EnumMap<>(RejectionReason.class);
        copy.putAll(rejectedByReason);
        rejectedByReason = Collections.unmodifiableMap(copy);
    }

    /** {@return all work that was rejected, for any reason} */
    public long rejected() {
        return rejectedByReason.values().stream().mapToLong(Long::longValue).sum();
    }
}
