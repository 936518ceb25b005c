package io.github.kobe;

/**
 * Where a number in force came from.
 *
 * @since 0.1.0
 */
public enum LimitSource {
    /** The policy names the group itself. */
    CONFIGURED,
    /** The policy has a pattern that matches the group. */
    PATTERN,
    /** A resolver of the policy gave it. */
    RESOLVER,
    /** It is the default for every group that has none of its own. */
    DEFAULT,
    /** It was set while the executor ran, by {@link GroupExecutor#setLimits}. */
    OVERRIDDEN
}
