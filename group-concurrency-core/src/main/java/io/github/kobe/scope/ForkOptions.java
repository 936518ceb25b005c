package io.github.kobe.scope;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How one task is forked. Each {@code with} method gives other options. Immutable; may be used for any number of forks.
 *
 * <pre>{@code
 * scope.fork(ForkOptions.in("rates").withName("second try").withStartAfter(Duration.ofMillis(50)), () -> rate(backup));
 * }</pre>
 *
 * @since 0.1.0
 */
public final class ForkOptions {

    private final String group;
    private final @Nullable String name;
    private final @Nullable Duration timeout;
    private final Duration startAfter;
    private final @Nullable RetryPolicy retry;

    private ForkOptions(
            String group,
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
     * Makes options with a group alone.
     *
     * @param group the key of the group that the task is for
     * @return new options: named by its number, no time-out but the scope's, no delay, the scope's retries
     */
    public static ForkOptions in(String group) {
        return new ForkOptions(Objects.requireNonNull(group, "group"), null, null, Duration.ZERO, null);
    }

    /**
     * Names the fork, in {@link Subtask#name()}, listeners and snapshots, and its thread: {@code group scope/fork}.
     *
     * @param forkName any text; control characters are not shown
     * @return other options
     */
    public ForkOptions withName(String forkName) {
        return new ForkOptions(group, Objects.requireNonNull(forkName, "name"), timeout, startAfter, retry);
    }

    /**
     * Limits the time of this fork alone, from when it is due: waits in the queue, all attempts and the pauses between them
     * included. When it is up the fork fails with a {@link java.util.concurrent.TimeoutException}, and its code is
     * interrupted.
     *
     * @param forkTimeout how long, more than zero
     * @return other options
     * @throws IllegalArgumentException if {@code forkTimeout} is zero or negative
     */
    public ForkOptions withTimeout(Duration forkTimeout) {
        return new ForkOptions(group, name, Range.positive(forkTimeout, "timeout"), startAfter, retry);
    }

    /**
     * Has the fork wait before it is queued, as a hedge or a stagger. It holds nothing meanwhile, and counts as unfinished.
     *
     * @param delay how long, zero or more
     * @return other options
     * @throws IllegalArgumentException if {@code delay} is negative
     */
    public ForkOptions withStartAfter(Duration delay) {
        return new ForkOptions(group, name, timeout, Range.notNegative(delay, "startAfter"), retry);
    }

    /**
     * Says how this fork is tried again if it fails, in place of what the scope is configured with.
     *
     * @param policy the policy; {@link RetryPolicy#none()} for not at all
     * @return other options
     */
    public ForkOptions withRetry(RetryPolicy policy) {
        return new ForkOptions(group, name, timeout, startAfter, Objects.requireNonNull(policy, "retry"));
    }

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
