package io.github.kobe.cluster;

import java.time.Duration;

/**
 * What an executor has said to the store since it was made. Immutable.
 *
 * @param answered how many statements were answered
 * @param took how long those took, together
 * @param failed how many statements had no answer
 * @param demands of how many groups they spoke, together
 * @param hints how many hints came
 * @since 0.1.0
 */
public record ClusterTotals(long answered, Duration took, long failed, long demands, long hints) {}
