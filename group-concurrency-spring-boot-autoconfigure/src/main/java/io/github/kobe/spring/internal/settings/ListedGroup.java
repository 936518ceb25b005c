package io.github.kobe.spring.internal.settings;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One group of the list.
 *
 * @param key The group key or pattern.
 * @param maxConcurrency How many tasks of the group may run at once, at least 1.
 * @param maxInFlight How many tasks of the group may be in flight, at least 1.
 * @param queueThreshold How many tasks of the group may wait, at least 0; 0: none waits.
 * @param queueTimeout How long a task of the group may wait to start, more than zero.
 * @param weight How much the group may hold of the global limit, compared with others, while that is short; 1 to 1,000.
 * @param guaranteed How many tasks of the group are to be in flight before others get more; 0 to 1,000,000.
 * @param clusterMaxInFlight How many tasks of the group may be in flight over all instances, at least 1.
 * @param rate How much of the group starts in any window of time, as "60 per 1m" or "60 per 1m burst 6".
 * @param rates Several rates, each with another name: work says what it costs of each. Either these or the one.
 */
public record ListedGroup(
        @Nullable String key,
        @Nullable Integer maxConcurrency,
        @Nullable Integer maxInFlight,
        @Nullable Integer queueThreshold,
        @Nullable Duration queueTimeout,
        @Nullable Integer weight,
        @Nullable Integer guaranteed,
        @Nullable Integer clusterMaxInFlight,
        GroupConcurrencyProperties.@Nullable RateSetting rate,
        @Nullable List<NamedRateSetting> rates) {

    /** {@return the element without its key} */
    public GroupConcurrencyProperties.Limits limits() {
        return new GroupConcurrencyProperties.Limits(
                maxConcurrency,
                maxInFlight,
                queueThreshold,
                queueTimeout,
                weight,
                guaranteed,
                clusterMaxInFlight,
                rate,
                rates);
    }
}
