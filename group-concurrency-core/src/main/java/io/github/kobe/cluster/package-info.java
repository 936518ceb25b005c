/**
 * One limit over many instances: what an executor and the store that they share say to each other.
 *
 * <p>Each instance, a <em>node</em>, leases capacity of a group from the store and uses it by itself, so work starts without
 * asking anybody. A node says what it has and what it wants; the store divides what there is by what is wanted.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .pattern("tenant:*", GroupLimits.unset().withClusterMaxInFlight(20))
 *         .build();
 * GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy, ClusterSettings.of(store));
 * }</pre>
 *
 * <p>Over all instances at most 20 tasks of each tenant are in flight then, as long as none of them stands still, or is cut
 * off from the store, for 8 seconds or longer. One that is adds at most what it was running.
 *
 * <ul>
 *   <li>{@link io.github.kobe.cluster.ClusterStore} is the store: the one in memory, or one that a module brings.
 *   <li>{@link io.github.kobe.cluster.ClusterSettings} say how an executor uses it, and with
 *       {@link io.github.kobe.cluster.OnStoreLoss} what it does while the store is away.
 *   <li>{@link io.github.kobe.cluster.Cluster} shows how an executor stands with the store.
 *   <li>{@link io.github.kobe.cluster.Statement} with its {@link io.github.kobe.cluster.Demand}s is what a node says, and
 *       {@link io.github.kobe.cluster.Answer} with its {@link io.github.kobe.cluster.Grant}s what it hears.
 *   <li>A {@link io.github.kobe.cluster.Hint} asks it to speak, and a {@link io.github.kobe.cluster.NodeShare} shows people
 *       who has what.
 * </ul>
 *
 * <p>Unless {@code @Nullable} says otherwise, no argument may be {@code null}: a method that is given {@code null} throws a
 * {@link java.lang.NullPointerException}.
 */
@NullMarked
package io.github.kobe.cluster;

import org.jspecify.annotations.NullMarked;
