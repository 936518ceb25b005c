package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.RuleStats;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The values of the tag "group": which group has which value, and the readings of each. Their number is bounded. A
 * value that stands for several groups can't be the key of one.
 */
abstract sealed class GroupTags {

    /** The value for groups that no rule names. */
    static final String DEFAULT = "_default";
    /** The value for groups beyond the bound. */
    static final String OTHER = GroupConcurrencyProperties.Metrics.OTHER;
    /** The value for all groups together. */
    static final String ALL = "_all";

    /** What no text of an application's can take. */
    static final Set<String> RESERVED = Set.of(DEFAULT, OTHER, ALL);

    /** {@return the tags that the settings ask for} */
    static GroupTags of(GroupConcurrencyProperties.Metrics settings) {
        return switch (settings.groupTag()) {
            case CONFIGURED -> new ByRule();
            case ALL -> new ByKey();
            case NONE -> new None();
        };
    }

    /** {@return the value for a group, if there is a place for it; else that is {@link #OTHER}} */
    abstract String of(String groupKey, Optional<String> rule);

    /** {@return the value that is there before the first group is} */
    abstract String first();

    /** {@return the values that groups have needed so far, some of them several times} */
    abstract Stream<String> used(GroupExecutor executor);

    /** {@return whether a group can have a value that it had under another policy} */
    boolean isPossible(GroupPolicy policy, String tag) {
        return true;
    }

    /** {@return whether the policy has limits for the one group with that key} */
    static boolean isExactKey(GroupPolicy policy, String tag) {
        return !RESERVED.contains(tag) && policy.groups().containsKey(tag);
    }

    /** {@return whether the recorders have to count, as the engine keeps no account of a value} */
    boolean needsCounts() {
        return false;
    }

    /**
     * Takes a reading; calls no resolver and matches no pattern.
     *
     * @param executor what to read
     * @param meters the meters of each value; some may come or go meanwhile
     * @return what there is to tell of each value
     */
    abstract Map<String, TagReading> read(GroupExecutor executor, Map<String, TagMeters> meters);

    private static final class ByRule extends GroupTags {

        @Override
        String of(String groupKey, Optional<String> rule) {
            return rule.filter(name -> !RESERVED.contains(name)).orElse(DEFAULT);
        }

        @Override
        String first() {
            return DEFAULT;
        }

        @Override
        Stream<String> used(GroupExecutor executor) {
            return executor.ruleStats().stream()
                    .filter(rule -> rule.groups() > 0 || rule.totals().submitted() > 0)
                    .map(rule -> of("", rule.rule()));
        }

        @Override
        boolean isPossible(GroupPolicy policy, String tag) {
            return isExactKey(policy, tag) || policy.patterns().containsKey(tag);
        }

        @Override
        Map<String, TagReading> read(GroupExecutor executor, Map<String, TagMeters> meters) {
            Map<String, TagReading> byTag = new HashMap<>();
            GroupPolicy policy = executor.policy();
            for (RuleStats rule : executor.ruleStats()) {
                String own = of("", rule.rule());
                String tag = meters.containsKey(own) ? own : OTHER;
                Permits permits = Permits.UNKNOWN;
                if (rule.groups() > 0 && isExactKey(policy, tag)) {
                    permits = executor.groupStats(tag).map(Permits::of).orElse(permits);
                }
                byTag.merge(tag, TagReading.of(rule, permits), TagReading::plus);
            }
            return byTag;
        }
    }

    private static final class ByKey extends GroupTags {

        @Override
        String of(String groupKey, Optional<String> rule) {
            return RESERVED.contains(groupKey) ? OTHER : groupKey;
        }

        @Override
        String first() {
            return OTHER;
        }

        @Override
        Stream<String> used(GroupExecutor executor) {
            return executor.groupKeys().stream().map(key -> of(key, Optional.empty()));
        }

        @Override
        boolean needsCounts() {
            return true;
        }

        @Override
        Map<String, TagReading> read(GroupExecutor executor, Map<String, TagMeters> meters) {
            // What ends meanwhile is missed for a moment, and never counted twice: first what has ended, then what is
            // open.
            Map<String, TagReading> byTag = new HashMap<>();
            meters.forEach((tag, known) -> byTag.put(tag, TagReading.NOTHING.with(Permits.UNKNOWN, known.counted())));
            Set<String> tags = Set.copyOf(byTag.keySet());
            Map<String, Duration> holds = executor.longestHolds();
            for (String key : executor.groupKeys()) {
                GroupStats group = executor.groupStats(key).orElse(null);
                boolean shared = RESERVED.contains(key);
                boolean own = !shared && tags.contains(key);
                if (group != null && (own || shared || !meters.containsKey(key))) { // else it is just being made
                    byTag.merge(
                            own ? key : OTHER,
                            TagReading.open(group, holds.getOrDefault(key, Duration.ZERO), own),
                            TagReading::plus);
                }
            }
            return byTag;
        }
    }

    private static final class None extends GroupTags {

        @Override
        String of(String groupKey, Optional<String> rule) {
            return ALL;
        }

        @Override
        String first() {
            return ALL;
        }

        @Override
        Stream<String> used(GroupExecutor executor) {
            return Stream.of(ALL);
        }

        @Override
        Map<String, TagReading> read(GroupExecutor executor, Map<String, TagMeters> meters) {
            // The totals of the executor: those of rules lack what a rule had that has gone.
            TagReading sum = executor.ruleStats().stream()
                    .map(rule -> TagReading.of(rule, Permits.UNKNOWN))
                    .reduce(TagReading.NOTHING, TagReading::plus);
            return Map.of(ALL, sum.with(Permits.UNKNOWN, executor.stats().totals()));
        }
    }
}
