package io.github.kobe;

import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.doors.Engine;

/** The way from the API to the engine and back, for {@link io.github.kobe.internal.doors.EngineAccess}. */
public final class ExecutorDoors {

    private ExecutorDoors() {}

    /** {@return the engine of an executor} */
    public static Engine engine(GroupExecutor executor) {
        return executor.engine();
    }

    /** {@return an executor over an engine} */
    public static GroupExecutor executorOver(Engine engine) {
        return GroupExecutor.over(engine);
    }

    /** {@return a policy as the engine uses it} */
    public static CompiledPolicy compiled(GroupPolicy policy) {
        return policy.compiled();
    }
}
