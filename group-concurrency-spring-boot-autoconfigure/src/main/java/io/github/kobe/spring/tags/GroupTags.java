package io.github.kobe.spring.tags;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.properties.GroupConcurrencyProperties;
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
    public static final String ALL = "_all";

    private GroupTags() {}

    /**
     * Makes the tags that the settings ask for.
     *
     * @param settings the settings of the meters
     * @return tags of their own state
     */
    public static GroupTags of(GroupConcurrencyProperties.Metrics settings) {
        return switch (settings.groupTag()) {
            case CONFIGURED -> byRule();
            case ALL -> byKey(settings.maxGroups());
            case NONE -> none();
        };
    }

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

    /**
     * Gives a group its value.
     *
     * @param executor the executor of the group
     * @param groupKey the group
     * @return the value; the group may take up a place by it
     */
    public abstract String claim(GroupExecutor executor, String groupKey);

    /**
     * Tells a group's value as things are.
     *
     * @param executor the executor of the group
     * @param groupKey the group
     * @return the value; no place is taken up by it
     */
    public abstract String current(GroupExecutor executor, String groupKey);

    /**
     * Tells whether a value is the key of the one group that it stands for.
     *
     * @param executor the executor of the group
     * @param tag the value
     * @return whether it is
     */
    public abstract boolean namesOneGroup(GroupExecutor executor, String tag);

    /**
     * Tells the values that are there from the start.
     *
     * @param executor the executor of the groups
     * @return the values
     */
    public abstract List<String> initial(GroupExecutor executor);

    /**
     * Frees the place that a group took up.
     *
     * @param groupKey the group
     * @return whether it had a value of its own
     */
    public boolean release(String groupKey) {
        return false;
    }

    private static final class ByRule extends GroupTags {

        @Override
        public String claim(GroupExecutor executor, String groupKey) {
            return current(executor, groupKey);
        }

        @Override
        public String current(GroupExecutor executor, String groupKey) {
            return executor.policy().rule(groupKey).orElse(DEFAULT);
        }

        @Override
        public boolean namesOneGroup(GroupExecutor executor, String tag) {
            return executor.policy().groups().containsKey(tag);
        }

        @Override
        public List<String> initial(GroupExecutor executor) {
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
        public String claim(GroupExecutor executor, String groupKey) {
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
        public String current(GroupExecutor executor, String groupKey) {
            return named.contains(groupKey) ? groupKey : OTHER;
        }

        @Override
        public boolean namesOneGroup(GroupExecutor executor, String tag) {
            return named.contains(tag);
        }

        @Override
        public List<String> initial(GroupExecutor executor) {
            return executor.policy().groups().keySet().stream()
                    .filter(key -> claim(executor, key).equals(key))
                    .toList();
        }

        @Override
        public boolean release(String groupKey) {
            return named.remove(groupKey);
        }
    }

    private static final class None extends GroupTags {

        @Override
        public String claim(GroupExecutor executor, String groupKey) {
            return ALL;
        }

        @Override
        public String current(GroupExecutor executor, String groupKey) {
            return ALL;
        }

        @Override
        public boolean namesOneGroup(GroupExecutor executor, String tag) {
            return false;
        }

        @Override
        public List<String> initial(GroupExecutor executor) {
            return List.of(ALL);
        }
    }
}
