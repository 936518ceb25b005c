package io.github.kobe.spring.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Gives each group its value of the tag "group"; there is a bounded number of values. */
public abstract sealed class GroupTags {

    /** The value for groups that no rule names. */
    static final String DEFAULT = "_default";
    /** The value for groups beyond the bound. */
    static final String OTHER = "_other";
    /** The value for all groups together. */
    static final String ALL = "_all";

    private GroupTags() {}

    /** {@return tags that tell the rule of the policy: the exact key, or the pattern} */
    public static GroupTags byRule() {
        return new ByRule();
    }

    /**
     * Makes tags that tell the key.
     *
     * @param maxGroups how many keys get a value of their own, at least 1
     * @return tags for that many keys and one for all others
     */
    public static GroupTags byKey(int maxGroups) {
        return new ByKey(maxGroups);
    }

    /** {@return the same tag for all groups} */
    public static GroupTags none() {
        return new None();
    }

    /** {@return the value for a group; it may take up a place} */
    abstract String claim(GroupExecutor executor, String groupKey);

    /** {@return the value for a group as things are} */
    abstract String current(GroupExecutor executor, String groupKey);

    /** {@return whether the value stands for the one group of that key} */
    abstract boolean namesOneGroup(GroupExecutor executor, String tag);

    /** {@return the values that are there from the start} */
    abstract List<String> initial(GroupExecutor executor);

    /** {@return whether the group had a value of its own, whose place is free now} */
    boolean release(String groupKey) {
        return false;
    }

    private static final class ByRule extends GroupTags {

        @Override
        String claim(GroupExecutor executor, String groupKey) {
            return current(executor, groupKey);
        }

        @Override
        String current(GroupExecutor executor, String groupKey) {
            return executor.policy().rule(groupKey).orElse(DEFAULT);
        }

        @Override
        boolean namesOneGroup(GroupExecutor executor, String tag) {
            return executor.policy().groups().containsKey(tag);
        }

        @Override
        List<String> initial(GroupExecutor executor) {
            GroupPolicy policy = executor.policy();
            List<String> tags = new ArrayList<>(policy.groups().keySet());
            tags.addAll(policy.patterns().keySet());
            tags.add(DEFAULT);
            return tags;
        }
    }

    private static final class ByKey extends GroupTags {

        private final int maxGroups;
        private final Set<String> named = ConcurrentHashMap.newKeySet();

        ByKey(int maxGroups) {
            this.maxGroups = maxGroups;
        }

        @Override
        String claim(GroupExecutor executor, String groupKey) {
            if (named.contains(groupKey)) {
                return groupKey;
            }
            synchronized (named) {
                if (named.contains(groupKey) || named.size() < maxGroups) {
                    named.add(groupKey);
                    return groupKey;
                }
            }
            return OTHER;
        }

        @Override
        String current(GroupExecutor executor, String groupKey) {
            return named.contains(groupKey) ? groupKey : OTHER;
        }

        @Override
        boolean namesOneGroup(GroupExecutor executor, String tag) {
            return named.contains(tag);
        }

        @Override
        List<String> initial(GroupExecutor executor) {
            return executor.policy().groups().keySet().stream()
                    .filter(key -> claim(executor, key).equals(key))
                    .toList();
        }

        @Override
        boolean release(String groupKey) {
            return named.remove(groupKey);
        }
    }

    private static final class None extends GroupTags {

        @Override
        String claim(GroupExecutor executor, String groupKey) {
            return ALL;
        }

        @Override
        String current(GroupExecutor executor, String groupKey) {
            return ALL;
        }

        @Override
        boolean namesOneGroup(GroupExecutor executor, String tag) {
            return false;
        }

        @Override
        List<String> initial(GroupExecutor executor) {
            return List.of(ALL);
        }
    }
}
