package io.github.kobe.cluster;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * How an executor stands with those of other instances that share its limits: for people, and for what watches. Of a single
 * group, {@link io.github.kobe.GroupStats#cluster} says how much this instance has.
 *
 * <p>Thread-safe; nothing here blocks. Only the engine implements it; it may get more methods.
 *
 * @since 0.1.0
 */
public interface Cluster {

    /** {@return with what the executor was made} */
    ClusterSettings settings();

    /** {@return how the executor stands with the store now} */
    ClusterState state();

    /** {@return what was said to the store since the executor was made} */
    ClusterTotals totals();

    /**
     * Asks the store which nodes there are.
     *
     * @return all that live, each with the sum over all groups, ordered by name. Fails if the store
     *     can't say so within two fifteenths of the lease, at the default within 2 s
     */
    CompletionStage<List<NodeShare>> nodes();

    /**
     * Asks the store who has what of one group. Their sum is what the store counts. It is above the limit only while work goes on
     * that was begun when more was allowed: before the limit was lowered, before the group had one, before the lease of its
     * instance ended, or while the instance went by its own limits.
     *
     * @param groupKey the key of the group
     * @return the nodes that have or want some of it, ordered by name; fails as {@link #nodes} does
     * @throws IllegalArgumentException if the key is empty
     */
    CompletionStage<List<NodeShare>> look(String groupKey);
}
