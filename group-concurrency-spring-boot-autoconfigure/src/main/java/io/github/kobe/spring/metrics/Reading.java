package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutorStats;
import java.util.Map;

/**
 * An executor at one moment.
 *
 * @param takenAt when, on the clock of its {@link Readings}
 * @param all all groups together
 * @param byTag the groups by the value of their tag
 */
record Reading(long takenAt, GroupExecutorStats all, Map<String, TagReading> byTag) {

    TagReading of(String tag) {
        return byTag.getOrDefault(tag, TagReading.NOTHING);
    }
}
