package io.github.kobe.cluster.redis;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where Redis is.
 *
 * @param uri with the time-out of connecting in place of the user's
 */
record Address(RedisURI uri) {

    /** {@return a copy of what a user gave} */
    static Address of(RedisURI given, Duration timeout) {
        List<RedisURI> sentinels = given.getSentinels();
        if (given.getSocket() != null || (sentinels.isEmpty() && isBlank(given.getHost()))) {
            throw new IllegalArgumentException("uri must name a host, was " + given);
        }
        if (!sentinels.isEmpty() && isBlank(given.getSentinelMasterId())) {
            throw new IllegalArgumentException("uri must name the primary that Sentinel watches, was " + given);
        }
        RedisURI.Builder copy = RedisURI.builder(given).withTimeout(timeout);
        if (!sentinels.isEmpty()) {
            copy.withSentinelMasterId(given.getSentinelMasterId());
            sentinels.forEach(sentinel -> copy.withSentinel(
                    RedisURI.builder(sentinel).withTimeout(timeout).build()));
        }
        return new Address(copy.build());
    }

    @SuppressWarnings("NullAway") // Lettuce is not null-marked, and has none of both
    private static boolean isBlank(String text) {
        return text == null || text.isBlank();
    }

    /** {@return how many servers may have to be asked one after the other until there is a connection} */
    int hops() {
        return uri.getSentinels().size() + 1;
    }

    /** {@return where it is, for people} */
    @Override
    public String toString() {
        List<RedisURI> sentinels = uri.getSentinels();
        return sentinels.isEmpty()
                ? place(uri)
                : uri.getSentinelMasterId() + " of "
                        + sentinels.stream().map(Address::place).collect(Collectors.joining(","));
    }

    private static String place(RedisURI uri) {
        return uri.getHost() + ":" + uri.getPort();
    }
}
