package io.github.kobe.spring.web;

import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties.KeySource;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyProperties.MissingKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPattern.PathMatchInfo;

/**
 * One rule of the filter: which requests it is for, where their key is, and how it is used.
 *
 * @param paths the patterns of its paths; none: all
 * @param source where the key is; {@code null}: a bean of the application supplies it
 * @param name the name of the header, or of the path variable
 * @param prefix what the group's key begins with, before the request's part
 * @param missingKey what happens to a request without a key
 * @param missingKeyGroup the key of the group for those
 * @param knownKeysOnly whether all keys that the policy doesn't name share one group
 */
record FilterRule(
        List<PathPattern> paths,
        @Nullable KeySource source,
        String name,
        String prefix,
        MissingKey missingKey,
        String missingKeyGroup,
        boolean knownKeysOnly) {

    /** What the key of the group for unknown keys ends with. */
    private static final String UNKNOWN = "_unknown";

    /**
     * What becomes of a request.
     *
     * @param refused whether it isn't let in
     * @param groupKey the group that it is limited in; {@code null}: none
     */
    record Verdict(boolean refused, @Nullable String groupKey) {

        private static final Verdict REFUSED = new Verdict(true, null);
        private static final Verdict PASSES = new Verdict(false, null);
    }

    boolean isFor(PathContainer path) {
        if (paths.isEmpty()) {
            return true;
        }
        for (PathPattern pattern : paths) {
            if (pattern.matches(path)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the value of the variable, of a path that it is for} */
    @Nullable
    String variableOf(PathContainer path) {
        for (PathPattern pattern : paths) {
            PathMatchInfo match = pattern.matchAndExtract(path);
            if (match != null) {
                return match.getUriVariables().get(name);
            }
        }
        return null;
    }

    /**
     * Decides on a request.
     *
     * @param said what the request says, or the key that the application's bean gave it
     * @param policy knows the keys
     */
    Verdict decide(@Nullable String said, GroupPolicy policy) {
        if (said == null || said.isBlank()) {
            return switch (missingKey) {
                case REJECT -> Verdict.REFUSED;
                case PASS -> Verdict.PASSES;
                case GROUP -> new Verdict(false, missingKeyGroup);
            };
        }
        String key = source == null ? said : prefix + said;
        if (key.length() > policy.maxKeyLength()) {
            return Verdict.REFUSED;
        }
        return new Verdict(false, knownKeysOnly && !policy.groups().containsKey(key) ? prefix + UNKNOWN : key);
    }
}
