package io.github.kobe.scope;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a scope.
 *
 * @param givenName {@code null}: none was given
 * @param limit how long it may take; {@code null}: any time
 * @param givenGroup the group of forks that name none; {@code null}: there is none
 * @param mostForks how many forks may be unfinished before the owner's next one waits; 0: any number
 */
record ScopeConfiguration(
        @Nullable String givenName,
        @Nullable Duration limit,
        @Nullable String givenGroup,
        int mostForks,
        RetryPolicy retry,
        List<ScopeListener> listeners)
        implements Configuration {

    static final ScopeConfiguration DEFAULT =
            new ScopeConfiguration(null, Duration.ofSeconds(30), null, 0, RetryPolicy.none(), List.of());

    ScopeConfiguration {
        listeners = List.copyOf(listeners);
    }

    @Override
    public Configuration withName(String name) {
        Objects.requireNonNull(name, "name");
        return new ScopeConfiguration(name, limit, givenGroup, mostForks, retry, listeners);
    }

    @Override
    public Configuration withTimeout(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        return new ScopeConfiguration(givenName, timeout, givenGroup, mostForks, retry, listeners);
    }

    @Override
    public Configuration withoutTimeout() {
        return new ScopeConfiguration(givenName, null, givenGroup, mostForks, retry, listeners);
    }

    @Override
    public Configuration withGroup(String group) {
        Objects.requireNonNull(group, "group");
        return new ScopeConfiguration(givenName, limit, group, mostForks, retry, listeners);
    }

    @Override
    public Configuration withMaxConcurrency(int forks) {
        Range.atLeast(1, forks, "maxConcurrency");
        return new ScopeConfiguration(givenName, limit, givenGroup, forks, retry, listeners);
    }

    @Override
    public Configuration withRetry(RetryPolicy policy) {
        Objects.requireNonNull(policy, "retry");
        return new ScopeConfiguration(givenName, limit, givenGroup, mostForks, policy, listeners);
    }

    @Override
    public Configuration withListener(ScopeListener listener) {
        List<ScopeListener> more = new ArrayList<>(listeners);
        more.add(Objects.requireNonNull(listener, "listener"));
        return new ScopeConfiguration(givenName, limit, givenGroup, mostForks, retry, more);
    }

    @Override
    public Optional<String> name() {
        return Optional.ofNullable(givenName);
    }

    @Override
    public Optional<Duration> timeout() {
        return Optional.ofNullable(limit);
    }

    @Override
    public Optional<String> group() {
        return Optional.ofNullable(givenGroup);
    }

    @Override
    public OptionalInt maxConcurrency() {
        return mostForks == 0 ? OptionalInt.empty() : OptionalInt.of(mostForks);
    }
}
