package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.RuleStats;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The values of the tag "group": which group has which value, and the readings of each. Their number is bounded. A
 * value that stands for several groups can't be the key of one.
 */
abstract sealed class GroupTags {

    /** The value for groups that no rule names. */
    static final String DEFAULT = "_default";
    /** The value for groups beyond the bound. */
    static final String OTHER = "_other";
    /** The value for all groups together. */
    static final String ALL = "_all";

    /** What no text of an application's can take. */
    static final Set<String> RESERVED = Set.of(DEFAULT, OTHER, ALL);

    /** {@return the tags that the settings ask for} */
    static GroupTags of(GroupConcurrencyProperties.Metrics settings) {
        return switch (settings.groupTag()) {
            case CONFIGURED -> new ByRule();
            case ALL -> new ByKey(settings.maxGroups());
            case NONE -> new None();
        };
    }

    /** {@return the value for a group, if there is a place for it; else {@link #shared()}} */
    abstract String of(String groupKey, Optional<String> rule);

    /** {@return the value for groups that have none of their own; it is there always} */
    abstract String shared();

    /** {@return the values that are there from the start and for as long as the policy is in force, in their order} */
    abstract List<String> lasting(GroupPolicy policy);

    /** {@return how many values there may be} */
    int most() {
        return Integer.MAX_VALUE;
    }

    /** {@return whether a value stands for the group with that key, and no other} */
    abstract boolean namesOneGroup(GroupPolicy policy, String tag);

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
        String shared() {
            return DEFAULT;
        }

        @Override
        List<String> lasting(GroupPolicy policy) {
            List<String> tags = new ArrayList<>(policy.groups().keySet());
            tags.addAll(policy.patterns().keySet());
            tags.removeIf(RESERVED::contains);
            tags.add(DEFAULT);
            return tags;
        }

        @Override
        boolean namesOneGroup(GroupPolicy policy, String tag) {
            return !RESERVED.contains(tag) && policy.groups().containsKey(tag);
        }

        @Override
        Map<String, TagReading> read(GroupExecutor executor, Map<String, TagMeters> meters) {
            Map<String, TagReading> byTag = new HashMap<>();
            GroupPolicy policy = executor.policy();
            for (RuleStats rule : executor.ruleStats()) {
                String tag = of("", rule.rule());
                int limit = TagReading.UNKNOWN;
                if (rule.groups() > 0 && namesOneGroup(policy, tag)) {
                    limit = executor.groupStats(tag)
                            .map(group -> group.maxConcurrency().value())
                            .orElse(limit);
                }
                byTag.merge(tag, TagReading.of(rule, limit), TagReading::plus);
            }
            return byTag;
        }
    }

    private static final class ByKey extends GroupTags {

        private final int maxGroups;

        ByKey(int maxGroups) {
            this.maxGroups = maxGroups;
        }

        @Override
        String of(String groupKey, Optional<String> rule) {
            return RESERVED.contains(groupKey) ? OTHER : groupKey;
        }

        @Override
        String shared() {
            return OTHER;
        }

        @Override
        List<String> lasting(GroupPolicy policy) {
            return policy.groups().keySet().stream()
                    .filter(key -> !RESERVED.contains(key))
                    .toList();
        }

        @Override
        int most() {
            return maxGroups;
        }

        @Override
        boolean namesOneGroup(GroupPolicy policy, String tag) {
            return !RESERVED.contains(tag);
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
            meters.forEach((tag, known) -> byTag.put(tag, TagReading.NOTHING.withTotals(known.counted())));
            Set<String> tags = Set.copyOf(byTag.keySet());
            for (String key : executor.groupKeys()) {
                GroupStats group = executor.groupStats(key).orElse(null);
                boolean own = !RESERVED.contains(key) && tags.contains(key);
                if (group != null && (own || !meters.containsKey(key))) { // else it is just being made
                    byTag.merge(own ? key : OTHER, TagReading.open(group, own), TagReading::plus);
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
        String shared() {
            return ALL;
        }

        @Override
        List<String> lasting(GroupPolicy policy) {
            return List.of(ALL);
        }

        @Override
        boolean namesOneGroup(GroupPolicy policy, String tag) {
            return false;
        }

        @Override
        Map<String, TagReading> read(GroupExecutor executor, Map<String, TagMeters> meters) {
            // The totals of the executor: those of rules lack what a rule had that has gone.
            TagReading sum = executor.ruleStats().stream()
                    .map(rule -> TagReading.of(rule, TagReading.UNKNOWN))
                    .reduce(TagReading.NOTHING, TagReading::plus);
            return Map.of(ALL, sum.withTotals(executor.stats().totals()));
        }
    }
}
