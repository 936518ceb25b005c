package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.internal.rules.Boundaries.Found;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out what a tenant has before its first change. */
final class PreviousLook {

    private static final Logger LOG = LoggerFactory.getLogger(PreviousLook.class);

    private static final Duration LONGEST = Duration.ofMinutes(5);

    private PreviousLook() {}

    static Found find(PreviousConfig previous, RolloutOptions options, TaskContext context) {
        AtomicReference<Optional<ConfigSnapshot>> found = new AtomicReference<>(Optional.empty());
        try {
            TimeLimit.run("the look", LONGEST, () -> found.set(previous.find(context, options.health())));
            return new Found(found.get().orElse(null), null);
        } catch (Throwable e) {
            LOG.warn("What the tenant of task {} has could not be found out", context.taskId(), e);
            return new Found(
                    null,
                    new FailureInfo(
                            FailureInfo.NO_PREVIOUS,
                            "what the tenant has could not be found out: "
                                    + FailureInfo.of(e).message()));
        }
    }
}
