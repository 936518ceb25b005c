package io.github.kobe.spring.endpoint;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.LimitSource;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.endpoint.GroupReport.Limit;
import io.github.kobe.spring.policy.PolicyRules;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Shows a group that the policy names and that nothing has used yet: the engine doesn't know it. */
final class ConfiguredGroup {

    private final String key;
    private final GroupPolicy policy;
    private final GroupLimits own;
    private final @Nullable GroupLimits pattern;

    private ConfiguredGroup(String key, GroupPolicy policy, GroupLimits own, @Nullable GroupLimits pattern) {
        this.key = key;
        this.policy = policy;
        this.own = own;
        this.pattern = pattern;
    }

    static Optional<GroupReport> report(GroupPolicy policy, String key) {
        GroupLimits own = policy.groups().get(key);
        if (own == null) {
            return Optional.empty();
        }
        GroupLimits pattern =
                new PolicyRules(policy).pattern(key).map(policy.patterns()::get).orElse(null);
        return Optional.of(new ConfiguredGroup(key, policy, own, pattern).report());
    }

    private GroupReport report() {
        Map<String, Long> rejected = new TreeMap<>();
        for (RejectionReason reason : RejectionReason.values()) {
            rejected.put(reason.name(), 0L);
        }
        GroupReport.Limits limits = new GroupReport.Limits(
                concurrency(),
                number(GroupLimits::maxInFlight),
                number(GroupLimits::queueThreshold),
                timeout(),
                number(GroupLimits::weight));
        return new GroupReport(
                key, key, 0, 0, 0, null, false, null, limits, new GroupReport.Totals(0, 0, 0, 0, rejected));
    }

    private Limit<Integer> concurrency() {
        Limit<Integer> ruled = number(GroupLimits::maxConcurrency);
        return ruled.source() == LimitSource.DEFAULT
                        && policy.concurrencyResolver().isPresent()
                ? new Limit<>(GroupReport.numberOf(policy.resolveConcurrency(key)), LimitSource.RESOLVER)
                : ruled;
    }

    private Limit<Integer> number(Function<GroupLimits, OptionalInt> number) {
        return limit(limits -> number.apply(limits).stream().boxed().findFirst(), Integer.MAX_VALUE);
    }

    private Limit<Duration> timeout() {
        return limit(GroupLimits::queueTimeout, GroupLimits.NO_TIMEOUT);
    }

    private <T> Limit<T> limit(Function<GroupLimits, Optional<T>> number, T unlimited) {
        Optional<T> owned = number.apply(own);
        Optional<T> matched = pattern == null ? Optional.empty() : number.apply(pattern);
        LimitSource source = owned.isPresent()
                ? LimitSource.CONFIGURED
                : matched.isPresent() ? LimitSource.PATTERN : LimitSource.DEFAULT;
        T value = owned.or(() -> matched)
                .or(() -> number.apply(policy.defaults()))
                .orElse(unlimited);
        return new Limit<>(value.equals(unlimited) ? null : value, source);
    }
}
