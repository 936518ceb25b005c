package io.github.kobe.cluster;

/**
 * What a node has and wants of one resource. What it says it has is taken as true, even above the limit. Immutable.
 *
 * @param resource {@code g:} and the key of a group
 * @param has how much it uses or may use at this moment, at least 0; from here on it uses no more until it is answered
 * @param want how much it needs in all, at least 0: what is out, and what waits and could start. Less than it has: the rest may
 *     be given to others
 * @param spare how much it would like beyond that, at least 0, if nobody else needs it
 * @param limit the limit that the node is configured with, at least 1
 * @since 0.1.0
 */
public record Demand(String resource, int has, int want, int spare, int limit) {

    /** What the name of a group's resource begins with. */
    public static final String GROUP = "g:";

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public Demand {
        requireResource(resource);
        Range.atLeast(0, has, "has");
        Range.atLeast(0, want, "want");
        Range.atLeast(0, spare, "spare");
        Range.atLeast(1, limit, "limit");
    }

    static void requireResource(String resource) {
        if (!resource.startsWith(GROUP) || resource.length() == GROUP.length()) {
            throw Range.outside("resource", "'" + GROUP + "' and the key of a group", Range.shown(resource));
        }
    }
}
