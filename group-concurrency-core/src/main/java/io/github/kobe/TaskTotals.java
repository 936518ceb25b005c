package io.github.kobe;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How much work there has been, and how it ended. At rest {@code submitted} is the sum of the others, of what waits and
 * of what is in flight.
 *
 * @param submitted all work that asked for admission; re-entrant calls don't
 * @param succeeded what returned, and permits that were closed
 * @param failed what threw
 * @param cancelled what was cancelled, and waits that their caller gave up
 * @param rejectedByReason what was not let in, for each reason; every reason is there, in their order
 * @since 0.1.0
 */
public record TaskTotals(
        long submitted, long succeeded, long failed, long cancelled, Map<RejectionReason, Long> rejectedByReason) {

    /** Keeps a copy of the map that can't be changed. */
    public TaskTotals {
        Map<RejectionReason, Long> copy = new EnumMap<>(RejectionReason.class);
        copy.putAll(rejectedByReason);
        rejectedByReason = Collections.unmodifiableMap(copy);
    }

    /** {@return all that was not let in, for whatever reason} */
    public long rejected() {
        return rejectedByReason.values().stream().mapToLong(Long::longValue).sum();
    }
}
