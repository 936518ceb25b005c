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
 * scopes.open(configuration -> configuration.withName("checkout").withTimeout(Duration.ofSeconds(2)))
 * }</pre>
 *
 * @since 0.1.0
 */
public sealed interface Configuration permits ScopeConfiguration {

    /**
     * Names the scope, in listeners, snapshots and exceptions, and in the names of its forks' threads.
     *
     * @param name any text; control characters are not shown
     * @return a copy with that setting
     */
    Configuration withName(String name);

    /**
     * Limits the time from open to the end of join. The default is 30 seconds.
     *
     * @param timeout how long; zero or negative: the time is up when the scope is opened, so the rest of a deadline can
     *     be passed on unchanged
     * @return a copy with that setting
     */
    Configuration withTimeout(Duration timeout);

    /**
     * Removes the time-out; that of an outer scope still applies. Use it for servers, whose forks never all end.
     *
     * @return a copy with that setting
     */
    Configuration withoutTimeout();

    /**
     * Sets the group of those forks that name none.
     *
     * @param group the key of the group
     * @return a copy with that setting
     */
    Configuration withGroup(String group);

    /**
     * Bounds the scope's unfinished forks: while there are this many, the owner's next fork blocks. This bounds queued and
     * delayed forks as well as running ones, and so the memory of a long loop; the limits of the groups decide how many
     * run. Forks of a fork count, and never block.
     *
     * @param forks how many, at least 1
     * @return a copy with that setting
     * @throws IllegalArgumentException if {@code forks} is less than 1
     */
    Configuration withMaxConcurrency(int forks);

    /**
     * Sets how failed forks are retried, unless their own options say otherwise. The default is
     * {@link RetryPolicy#none()}.
     *
     * @param retry the policy
     * @return a copy with that setting
     */
    Configuration withRetry(RetryPolicy retry);

    /**
     * Adds a listener after the present ones. It is called for this scope alone, not for those inside it.
     *
     * @param listener the listener
     * @return a copy with that setting
     */
    Configuration withListener(ScopeListener listener);

    /** {@return the scope's name, if it was given one} */
    Optional<String> name();

    /** {@return how long the scope may take; empty: no limit} */
    Optional<Duration> timeout();

    /** {@return the group of forks that name none, if there is one} */
    Optional<String> group();

    /** {@return how many unfinished forks block the owner; empty: none do} */
    OptionalInt maxConcurrency();

    /** {@return how forks are retried if their own options don't say otherwise} */
    RetryPolicy retry();

    /** {@return the scope's listeners, in the order in which they were added; unmodifiable} */
    List<ScopeListener> listeners();
}
