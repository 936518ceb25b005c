package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PreviousConfig;
import io.github.kobe.rollout.internal.rules.Boundaries.Found;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out what a tenant has before its first change. */
final class PreviousLook {

    private static final Logger LOG = LoggerFactory.getLogger(PreviousLook.class);

    private static final Duration LONGEST = Duration.ofMinutes(5);

    private PreviousLook() {}

    static Found find(PreviousConfig previous, RolloutOptions options, TaskRecord task, TaskSpec spec) {
        AtomicReference<Optional<ConfigSnapshot>> found = new AtomicReference<>(Optional.empty());
        TaskContext context = new TaskContext(task, spec, "previous", false, options);
        try {
            TimeLimit.run("the look", LONGEST, () -> found.set(previous.find(context, options.health())));
            return new Found(
                    Objects.requireNonNull(found.get(), "PreviousConfig returned null")
                            .orElse(null),
                    null);
        } catch (Throwable e) {
            LOG.warn("What the tenant of task {} has could not be found out", task.id(), e);
            return new Found(
                    null,
                    new FailureInfo(
                            FailureInfo.NO_PREVIOUS,
                            "what the tenant has could not be found out: "
                                    + FailureInfo.of(e).message()));
        }
    }
}
