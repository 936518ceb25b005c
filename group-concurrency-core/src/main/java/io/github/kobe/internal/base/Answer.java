package io.github.kobe.internal.base;

import io.github.kobe.GroupLimits;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the limits resolver of a policy has said of one group.
 *
 * @param resolver who was asked; {@code null}: the policy has none
 * @param turn when the question was put: later ones have higher numbers
 * @param limits what is known; unset: nothing
 * @param failed whether there was no answer, so that {@code limits} are those of before
 * @param ended how much work of the group had ended then
 */
public record Answer(
        @Nullable Function<String, Optional<GroupLimits>> resolver,
        long turn,
        GroupLimits limits,
        boolean failed,
        long ended) {

    /** That of nobody. */
    public static final Answer NONE = new Answer(null, 0, GroupLimits.unset(), false, 0);
}
