package io.github.kobe;

import io.github.kobe.cluster.ClusterState;

/**
 * How one group stands at one moment whose limit several instances share. Immutable.
 *
 * @param limit how many may be in flight over all instances
 * @param leased how many of them this instance may have in flight now, at least 0, at most {@link GroupStats#maxInFlight}
 * @param state how the executor stands with the store; one lease is for all groups, so it is the same for all of them
 * @param alone whether the group goes by the numbers of this instance, as {@link io.github.kobe.cluster.OnStoreLoss#LOCAL} says.
 *     Then the store knows nothing of what is leased. While the executor {@linkplain ClusterState#alone does so}, a group without
 *     a {@code maxConcurrency} of its own has nothing to go by, so nothing is leased, and nothing starts
 * @since 0.1.0
 */
public record SharedLimit(EffectiveLimit<Integer> limit, int leased, ClusterState.Kind state, boolean alone) {}
