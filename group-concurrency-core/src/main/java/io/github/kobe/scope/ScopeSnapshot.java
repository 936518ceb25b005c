package io.github.kobe.scope;

import io.github.kobe.GroupHolder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A scope as it was at one moment, with the scopes inside it.
 *
 * @param scope which scope
 * @param owner what its owner was doing
 * @param cancelled whether it was cancelled
 * @param totals how its forks had ended
 * @param unfinished how many forks had not ended
 * @param forks those that had not ended, the oldest first, at most 100
 * @param holders for each group that a fork in {@code forks} was queued for, who had the group's permits
 * @param scopes the scopes that its owner had opened inside it; those opened in its forks are listed with the forks
 * @since 0.1.0
 */
public record ScopeSnapshot(
        ScopeInfo scope,
        Owner owner,
        boolean cancelled,
        ScopeTotals totals,
        long unfinished,
        List<Fork> forks,
        Map<String, List<GroupHolder>> holders,
        List<ScopeSnapshot> scopes) {

    /**
     * What the owner of a scope is doing.
     *
     * @since 0.1.0
     */
    public enum Owner {
        /** It runs its own code. */
        RUNNING,
        /** It waits in {@code fork} for one of the scope's forks to end. */
        FORKING,
        /** It waits in {@code await} or {@code awaitAll}. */
        AWAITING,
        /** It waits in {@code join} or {@code joinUntil}. */
        JOINING,
        /** It waits in {@code close}. */
        CLOSING
    }

    /**
     * A fork that had not ended.
     *
     * @param fork which fork
     * @param phase where it was
     * @param threadName the name of the thread that ran it; empty if none did
     * @param scopes the scopes that were open in it
     * @since 0.1.0
     */
    public record Fork(ForkInfo fork, Subtask.Phase phase, Optional<String> threadName, List<ScopeSnapshot> scopes) {

        /** Copies the list. */
        public Fork {
            scopes = List.copyOf(scopes);
        }
    }

    /** Copies the lists and the map. */
    public ScopeSnapshot {
        forks = List.copyOf(forks);
        holders = Map.copyOf(holders);
        scopes = List.copyOf(scopes);
    }
}
