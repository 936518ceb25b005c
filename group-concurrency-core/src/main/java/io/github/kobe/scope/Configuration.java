package io.github.kobe.scope;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a scope is opened with. One that is handed to the function of an {@code open} has the defaults of its {@link
 * Scopes}; each {@code with} method gives another with that setting changed. Immutable. Two are equal if all their settings
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
     * @return another configuration
     */
    Configuration withName(String name);

    /**
     * Limits the time from open to the end of join. The default is 30 seconds.
     *
     * @param timeout how long; zero or negative: the time is up as the scope is opened, so that what is left of a deadline
     *     can be given as it is
     * @return another configuration
     */
    Configuration withTimeout(Duration timeout);

    /**
     * Lets the scope take as long as it likes, or as the scope around it may: for servers, whose forks never all end.
     *
     * @return another configuration
     */
    Configuration withoutTimeout();

    /**
     * Sets the group of those forks that name none.
     *
     * @param group the key of the group
     * @return another configuration
     */
    Configuration withGroup(String group);

    /**
     * Bounds the scope's unfinished forks: while there are so many, the owner's next one blocks it. It bounds what is
     * queued and delayed as well as what runs, and so the memory of a long loop; how many run is for the groups to say.
     * Forks of a fork count, and never block.
     *
     * @param forks how many, at least 1
     * @return another configuration
     * @throws IllegalArgumentException if {@code forks} is less than 1
     */
    Configuration withMaxConcurrency(int forks);

    /**
     * Says how forks that fail are tried again, unless they say so themselves. The default is {@link RetryPolicy#none()}.
     *
     * @param retry the policy
     * @return another configuration
     */
    Configuration withRetry(RetryPolicy retry);

    /**
     * Adds a listener, after those that are there. It hears of this scope alone, not of those inside it.
     *
     * @param listener the listener
     * @return another configuration
     */
    Configuration withListener(ScopeListener listener);

    /** {@return the scope's name, if it was given one} */
    Optional<String> name();

    /** {@return how long the scope may take; empty: as long as it likes} */
    Optional<Duration> timeout();

    /** {@return the group of forks that name none, if there is one} */
    Optional<String> group();

    /** {@return how many unfinished forks block the owner; empty: none do} */
    OptionalInt maxConcurrency();

    /** {@return how forks are tried again that don't say so themselves} */
    RetryPolicy retry();

    /** {@return who hears of the scope, in the order in which they were added; it can't be modified} */
    List<ScopeListener> listeners();
}
