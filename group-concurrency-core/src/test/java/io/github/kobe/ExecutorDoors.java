package io.github.kobe;

import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.doors.Doors;

/** The way from the API to the engine and back, for {@link io.github.kobe.internal.doors.EngineAccess}. */
public final class ExecutorDoors {

    private ExecutorDoors() {}

    /** {@return the way into the engine of an executor} */
    public static Doors of(GroupExecutor executor) {
        return executor.doors();
    }

    /** {@return an executor over an engine} */
    public static GroupExecutor executorOver(Doors doors) {
        return GroupExecutor.over(doors);
    }

    /** {@return a policy as the engine uses it} */
    public static CompiledPolicy compiled(GroupPolicy policy) {
        return policy.compiled();
    }
}
