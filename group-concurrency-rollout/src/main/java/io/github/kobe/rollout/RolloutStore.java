package io.github.kobe.rollout;

import io.github.kobe.rollout.internal.memory.MemoryStore;
import java.time.InstantSource;

/**
 * Keeps plans, tasks, tenants, events, and the work that is due: {@link #inMemory()}, for tests and for rollouts that may be
 * lost with the process, or {@link io.github.kobe.rollout.jdbc.JdbcRolloutStore}. Not for applications to implement: what
 * rollouts ask of a store changes with them.
 *
 * @since 0.1.0
 */
public interface RolloutStore {

    /** {@return a new store that keeps everything in memory, until the process ends} */
    static RolloutStore inMemory() {
        return inMemory(InstantSource.system());
    }

    /**
     * {@return a new store that keeps everything in memory, until the process ends}
     *
     * @param clock the clock of the store
     */
    static RolloutStore inMemory(InstantSource clock) {
        return new MemoryStore(clock);
    }
}
