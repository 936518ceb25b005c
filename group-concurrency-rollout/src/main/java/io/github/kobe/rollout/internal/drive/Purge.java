package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.StoreTransaction;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes plans that ended long ago: when it is asked to, and by itself while the rollouts are open. */
public final class Purge {

    private static final Logger LOG = LoggerFactory.getLogger(Purge.class);

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    /** How many plans are looked up at once. */
    private static final int BATCH = 100;

    private final RolloutOptions options;
    private final PlanStore store;
    private final @Nullable Duration retention;

    private volatile @Nullable Thread thread;

    Purge(RolloutOptions options) {
        this.options = options;
        store = options.store();
        retention = options.retention();
    }

    /**
     * {@return how many plans were removed}
     *
     * @param olderThan how long ago they must have ended
     * @param partlyFailed whether those too that have partially failed, on which somebody might still operate
     */
    public int run(Duration olderThan, boolean partlyFailed) {
        Instant before = store.now().minus(RolloutOptions.limited(olderThan));
        int all = 0;
        int removed;
        do {
            removed = 0;
            for (PlanId planId : store.findEnded(before, partlyFailed, BATCH)) {
                removed += remove(planId, before, partlyFailed) ? 1 : 0;
            }
            all += removed;
        } while (removed > 0);
        return all;
    }

    private boolean remove(PlanId planId, Instant before, boolean partlyFailed) {
        Optional<List<TaskId>> removed = store.transact(transaction -> {
            Optional<List<TaskId>> left = transaction
                    .plan(planId)
                    .filter(plan -> plan.hasEnded(before, partlyFailed))
                    .map(plan -> withCheckpoints(transaction, plan));
            if (left.isPresent()) {
                transaction.remove(planId);
            }
            return left;
        });
        removed.ifPresent(options::forgetCheckpoints);
        return removed.isPresent();
    }

    /** {@return the tasks of a plan at rest that may have a checkpoint in another place} */
    private List<TaskId> withCheckpoints(StoreTransaction transaction, PlanRecord plan) {
        if (options.checkpoints() == null || plan.count(TaskStatus.FAILED) == 0) {
            return List.of();
        }
        return transaction.tasks(plan.id()).stream()
                .filter(task -> task.status() == TaskStatus.FAILED)
                .map(TaskRecord::id)
                .toList();
    }

    /** Runs from now on at least once an hour, if there is a retention. */
    void begin() {
        if (retention != null) {
            Thread purging = Thread.ofVirtual().name("rollout-purge").unstarted(() -> runAgainAndAgain(retention));
            thread = purging; // first: it ends once it isn't the one
            purging.start();
        }
    }

    void end() {
        Thread running = thread;
        thread = null;
        LockSupport.unpark(running);
    }

    private void runAgainAndAgain(Duration olderThan) {
        Duration pause = olderThan.compareTo(LONGEST_PAUSE) < 0 ? olderThan : LONGEST_PAUSE;
        while (Thread.currentThread().equals(thread)) {
            try {
                int removed = UserCode.ask(() -> run(olderThan, true));
                LOG.debug("{} plans that ended {} ago were removed", removed, olderThan);
            } catch (RuntimeException e) {
                LOG.warn(
                        "Plans that ended {} ago could not be removed: {}",
                        olderThan,
                        StoreRefusedException.describe(e));
            }
            LockSupport.parkNanos(this, pause.toNanos());
        }
    }
}
