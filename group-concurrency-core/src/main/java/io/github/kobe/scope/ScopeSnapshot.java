package io.github.kobe.scope;

import io.github.kobe.GroupHolder;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A scope as it was at one moment, with the scopes inside it.
 *
 * <p>Only scopes implement it; it may get more methods. Its lists and its map are unmodifiable.
 *
 * @since 0.1.0
 */
public interface ScopeSnapshot {

    /** {@return which scope} */
    ScopeInfo scope();

    /** {@return what its owner was doing} */
    Owner owner();

    /** {@return whether it was cancelled} */
    boolean cancelled();

    /** {@return how its forks had ended} */
    ScopeTotals totals();

    /** {@return how many forks had not ended, scheduled runs not included} */
    long unfinished();

    /**
     * {@return forks and scheduled runs that had not ended, the oldest first, at most 100} If there were more, those in which
     * scopes were open are listed rather than older ones.
     */
    List<Fork> forks();

    /** {@return for each group that one of {@link #forks} was queued for, who had the group's permits} */
    Map<String, List<GroupHolder>> holders();

    /** {@return the scopes that its owner had opened inside it; those opened in its forks are listed with the forks} */
    List<ScopeSnapshot> scopes();

    /**
     * {@return whether scopes were open inside it that aren't listed, because they were too deep, or open in more forks than
     * are listed} A snapshot lists 50 levels of scopes inside each other, so that code may go over it by recursion.
     */
    boolean truncated();

    /**
     * What the owner of a scope is doing.
     *
     * @since 0.1.0
     */
    enum Owner {
        /** It runs its own code. */
        RUNNING,
        /** It waits in {@code fork} for one of the scope's forks to end. */
        FORKING,
        /** It waits in {@code await} or {@code valuesOf}. */
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
    record Fork(ForkInfo fork, Subtask.Phase phase, Optional<String> threadName, List<ScopeSnapshot> scopes) {

        /** Copies the list. */
        public Fork {
            scopes = List.copyOf(scopes);
        }
    }
}
