package io.github.kobe.cluster;

import java.util.List;

/**
 * Asks a node to speak of some resources: there may be something for it, or somebody may need what it has. It says no more,
 * so it does no harm to lose it, double it or delay it. Immutable.
 *
 * @param session for whom it is, as in {@link Statement#session}; others ignore it
 * @param resources of what to speak, as in {@link Demand#resource}; {@link #UNMET} among them: all that the node lacks
 * @since 0.1.0
 */
public record Hint(String session, List<String> resources) {

    /** Stands for all resources of which the node wants more than it has. */
    public static final String UNMET = "*";

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public Hint {
        Statement.requireSession(session);
        resources = List.copyOf(resources);
        if (resources.isEmpty()) {
            throw Range.outside("resources", "one at least", "empty");
        }
        for (String resource : resources) {
            if (!resource.equals(UNMET)) {
                Demand.requireResource(resource);
            }
        }
    }
}
