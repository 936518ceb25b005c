package io.github.kobe.scope;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a scope.
 *
 * @param givenName {@code null}: none was given
 * @param limit how long it may take; {@code null}: any time
 * @param givenGroup the group of forks that name none; {@code null}: there is none
 * @param mostForks how many forks may be unfinished before the owner's next one waits; 0: any number
 */
record GivenSettings(
        @Nullable String givenName,
        @Nullable Duration limit,
        @Nullable String givenGroup,
        int mostForks,
        RetryPolicy retry,
        List<ScopeListener> listeners)
        implements ScopeSettings {

    static final GivenSettings DEFAULT =
            new GivenSettings(null, Duration.ofSeconds(30), null, 0, RetryPolicy.none(), List.of());

    GivenSettings {
        listeners = List.copyOf(listeners);
    }

    @Override
    public ScopeSettings withName(String name) {
        Objects.requireNonNull(name, "name");
        return new GivenSettings(name, limit, givenGroup, mostForks, retry, listeners);
    }

    @Override
    public ScopeSettings withTimeout(Duration timeout) {
        Range.positive(timeout, "timeout");
        return new GivenSettings(givenName, timeout, givenGroup, mostForks, retry, listeners);
    }

    @Override
    public ScopeSettings withoutTimeout() {
        return new GivenSettings(givenName, null, givenGroup, mostForks, retry, listeners);
    }

    @Override
    public ScopeSettings withGroup(String group) {
        Objects.requireNonNull(group, "group");
        return new GivenSettings(givenName, limit, group, mostForks, retry, listeners);
    }

    @Override
    public ScopeSettings withMaxUnfinished(int forks) {
        Range.atLeast(1, forks, "maxUnfinished");
        return new GivenSettings(givenName, limit, givenGroup, forks, retry, listeners);
    }

    @Override
    public ScopeSettings withRetry(RetryPolicy policy) {
        Objects.requireNonNull(policy, "retry");
        return new GivenSettings(givenName, limit, givenGroup, mostForks, policy, listeners);
    }

    @Override
    public ScopeSettings withListener(ScopeListener listener) {
        List<ScopeListener> more = new ArrayList<>(listeners);
        more.add(Objects.requireNonNull(listener, "listener"));
        return new GivenSettings(givenName, limit, givenGroup, mostForks, retry, more);
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
    public OptionalInt maxUnfinished() {
        return mostForks == 0 ? OptionalInt.empty() : OptionalInt.of(mostForks);
    }
}
