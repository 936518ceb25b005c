package io.github.kobe.spring.policy;

import io.github.kobe.GroupPolicy;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.util.PatternMatchUtils;

/**
 * Tells which rule of a policy a group falls under: its exact key, else the pattern with the most literal characters.
 * The engine tells the same, but only for groups that it has seen.
 */
public final class PolicyRules {

    private final GroupPolicy policy;
    private final List<String> closestFirst;

    /**
     * Takes the rules of a policy.
     *
     * @param policy the policy
     */
    public PolicyRules(GroupPolicy policy) {
        this.policy = policy;
        this.closestFirst = policy.patterns().keySet().stream()
                .sorted(Comparator.comparingLong(PolicyRules::literals).reversed())
                .toList();
    }

    private static long literals(String pattern) {
        return pattern.chars().filter(c -> c != '*').count();
    }

    /** {@return the policy that these are the rules of} */
    public GroupPolicy policy() {
        return policy;
    }

    /**
     * Finds the rule of a group.
     *
     * @param groupKey the group
     * @return its exact key, or a pattern; empty if only the defaults hold
     */
    public Optional<String> rule(String groupKey) {
        Map<String, ?> exact = policy.groups();
        return exact.containsKey(groupKey) ? Optional.of(groupKey) : pattern(groupKey);
    }

    /**
     * Finds the closest pattern of a group.
     *
     * @param groupKey the group
     * @return the pattern, if one matches
     */
    public Optional<String> pattern(String groupKey) {
        for (String pattern : closestFirst) {
            if (PatternMatchUtils.simpleMatch(pattern, groupKey)) {
                return Optional.of(pattern);
            }
        }
        return Optional.empty();
    }
}
