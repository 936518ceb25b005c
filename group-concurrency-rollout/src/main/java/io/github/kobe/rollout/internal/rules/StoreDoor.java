package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.RolloutStore;

/** A store of this library that isn't a {@link PlanStore} itself, since its users see it. */
public interface StoreDoor extends RolloutStore {

    /** {@return what keeps the plans, always the same} */
    PlanStore plans();
}
