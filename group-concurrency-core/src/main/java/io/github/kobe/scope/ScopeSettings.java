package io.github.kobe.scope;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings that a scope is opened with. The function given to an {@code open} receives the defaults of the {@link
 * Scopes}; each {@code with} method returns a copy with one setting changed. Immutable. Two are equal if all their settings
 * are.
 *
 * <pre>{@code
 * scopes.open(settings -> settings.withName("checkout").withTimeout(Duration.ofSeconds(2)))
 * }</pre>
 *
 * @since 0.1.0
 */
public sealed interface ScopeSettings permits GivenSettings {

    /**
     * Names the scope, in listeners, snapshots and exceptions, and in the names of its forks' threads.
     *
     * @param name any text; control characters are not shown
     * @return a copy with that setting
     */
    ScopeSettings withName(String name);

    /**
     * Limits the time from open to the end of join. The default is 30 seconds. {@link #withoutTimeout()} removes the limit;
     * {@link GroupScope#joinUntil} takes a deadline, which may be past.
     *
     * @param timeout how long, more than zero
     * @return a copy with that setting
     * @throws IllegalArgumentException if {@code timeout} is zero or negative
     */
    ScopeSettings withTimeout(Duration timeout);

    /**
     * Removes the time-out; that of an outer scope still applies. Use it for servers, whose forks never all end.
     *
     * @return a copy with that setting
     */
    ScopeSettings withoutTimeout();

    /**
     * Sets the group of those forks and schedules that name none.
     *
     * @param group the key of the group
     * @return a copy with that setting
     */
    ScopeSettings withGroup(String group);

    /**
     * Bounds the scope's unfinished forks: while there are this many, the owner's next fork blocks. Queued and delayed forks
     * count as well as running ones, so this bounds the memory of a long loop; how many run is up to the limits of the
     * groups. Forks by a fork, or by a joiner or listener that is told how one has ended, count and never block.
     *
     * @param forks how many, at least 1
     * @return a copy with that setting
     * @throws IllegalArgumentException if {@code forks} is less than 1
     */
    ScopeSettings withMaxUnfinished(int forks);

    /**
     * Sets how failed forks are retried, unless their own options say otherwise. The default is
     * {@link RetryPolicy#none()}.
     *
     * @param retry the policy
     * @return a copy with that setting
     */
    ScopeSettings withRetry(RetryPolicy retry);

    /**
     * Adds a listener after the present ones. It is called for this scope alone, not for those inside it.
     *
     * @param listener the listener
     * @return a copy with that setting
     */
    ScopeSettings withListener(ScopeListener listener);

    /** {@return the scope's name, if it was given one} */
    Optional<String> name();

    /** {@return how long the scope may take; empty: no limit} */
    Optional<Duration> timeout();

    /** {@return the group of forks and schedules that name none, if there is one} */
    Optional<String> group();

    /** {@return how many unfinished forks block the owner's next one; empty: any number may be unfinished} */
    OptionalInt maxUnfinished();

    /** {@return how forks are retried if their own options don't say otherwise} */
    RetryPolicy retry();

    /** {@return the scope's listeners, in the order in which they were added; unmodifiable} */
    List<ScopeListener> listeners();
}
