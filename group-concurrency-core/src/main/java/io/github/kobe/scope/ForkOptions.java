package io.github.kobe.scope;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of one fork. Each {@code with} method returns a copy with one option changed. Immutable; may be used for
 * any number of forks.
 *
 * <pre>{@code
 * scope.fork(ForkOptions.in("rates").withName("second try").withStartAfter(Duration.ofMillis(50)), () -> rate(backup));
 * }</pre>
 *
 * <p>Options that don't begin {@linkplain #in in a group} are for a scope that was opened {@code withGroup}.
 *
 * @since 0.1.0
 */
public final class ForkOptions {

    private final @Nullable String group;
    private final @Nullable String name;
    private final @Nullable Duration timeout;
    private final Duration startAfter;
    private final @Nullable RetryPolicy retry;

    private ForkOptions(
            @Nullable String group,
            @Nullable String name,
            @Nullable Duration timeout,
            Duration startAfter,
            @Nullable RetryPolicy retry) {
        this.group = group;
        this.name = name;
        this.timeout = timeout;
        this.startAfter = startAfter;
        this.retry = retry;
    }

    /**
     * Makes options with only a group.
     *
     * @param group the key of the group that the task is for
     * @return new options: a name from the fork's number, no time-out but the scope's, no delay, the scope's retries
     */
    public static ForkOptions in(String group) {
        return new ForkOptions(Objects.requireNonNull(group, "group"), null, null, Duration.ZERO, null);
    }

    /**
     * Makes options with only a name, for a fork into the {@linkplain ScopeSettings#withGroup group of the scope}.
     *
     * @param name as in {@link #withName}
     * @return new options: no time-out but the scope's, no delay, the scope's retries
     */
    public static ForkOptions named(String name) {
        return new ForkOptions(null, Objects.requireNonNull(name, "name"), null, Duration.ZERO, null);
    }

    /**
     * Makes options with only a delay, for a fork into the {@linkplain ScopeSettings#withGroup group of the scope}.
     *
     * @param delay as in {@link #withStartAfter}
     * @return new options: a name from the fork's number, no time-out but the scope's, the scope's retries
     * @throws IllegalArgumentException if {@code delay} is negative
     */
    public static ForkOptions after(Duration delay) {
        return new ForkOptions(null, null, null, Range.notNegative(delay, "startAfter"), null);
    }

    /**
     * Names the fork, in {@link Subtask#name()}, listeners and snapshots. Its thread is named {@code group scope/fork}.
     *
     * @param forkName any text; control characters are not shown
     * @return a copy with that option
     */
    public ForkOptions withName(String forkName) {
        return new ForkOptions(group, Objects.requireNonNull(forkName, "name"), timeout, startAfter, retry);
    }

    /**
     * Limits the time of this fork alone. The time starts when the fork is due and includes waits in the queue, all
     * attempts, and the pauses between them. When it is up, the fork fails with a
     * {@link java.util.concurrent.TimeoutException}, its code is interrupted, and the scopes that it opens are cancelled.
     *
     * @param forkTimeout how long, more than zero
     * @return a copy with that option
     * @throws IllegalArgumentException if {@code forkTimeout} is zero or negative
     */
    public ForkOptions withTimeout(Duration forkTimeout) {
        return new ForkOptions(group, name, Range.positive(forkTimeout, "timeout"), startAfter, retry);
    }

    /**
     * Makes the fork wait before it is queued, for hedged or staggered requests. It holds no permits meanwhile, and
     * counts as unfinished.
     *
     * @param delay how long, zero or more
     * @return a copy with that option
     * @throws IllegalArgumentException if {@code delay} is negative
     */
    public ForkOptions withStartAfter(Duration delay) {
        return new ForkOptions(group, name, timeout, Range.notNegative(delay, "startAfter"), retry);
    }

    /**
     * Sets how this fork is retried if it fails, instead of the scope's setting.
     *
     * @param policy the policy; {@link RetryPolicy#none()} for no retries
     * @return a copy with that option
     */
    public ForkOptions withRetry(RetryPolicy policy) {
        return new ForkOptions(group, name, timeout, startAfter, Objects.requireNonNull(policy, "retry"));
    }

    /** {@return the key of its group; {@code null}: that of its scope} */
    @Nullable
    String group() {
        return group;
    }

    @Nullable
    String name() {
        return name;
    }

    /** {@return how long it may take; {@code null}: as long as its scope} */
    @Nullable
    Duration timeout() {
        return timeout;
    }

    Duration startAfter() {
        return startAfter;
    }

    /** {@return its own policy; {@code null}: its scope's} */
    @Nullable
    RetryPolicy retry() {
        return retry;
    }

    @Override
    public String toString() {
        return "ForkOptions[group=" + group + ", name=" + name + ", timeout=" + timeout + ", startAfter=" + startAfter
                + ", retry=" + retry + "]";
    }
}
