package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.internal.rules.Snapshot;
import io.github.kobe.rollout.internal.rules.StoreTransaction;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a task's thread has of its configurations, which its record only names.
 *
 * @param change the change that the task makes
 * @param previous what a rollback restores, if that is known
 */
record TaskSpec(TenantChange change, @Nullable ConfigSnapshot previous) {

    static TaskSpec of(StoreTransaction store, TaskRecord task) {
        Snapshot kept = task.previous();
        ConfigSnapshot previous = kept == null ? null : new ConfigSnapshot(kept.unit(), store.config(kept.configId()));
        String config = store.config(task.change().target().configId());
        return new TaskSpec(task.change().whole(task.tenantId(), config, previous), previous);
    }
}
