package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.util.List;

/** The names of the stages that the factory makes for a task now. */
final class StageNames {

    private StageNames() {}

    static List<Stage> stages(RolloutOptions options, TaskRecord task, TenantChange change) {
        return List.copyOf(
                options.stages().stages(task.info(), change, options.settingsOf(change.settings()), options.health()));
    }

    static List<String> of(RolloutOptions options, TaskRecord task, TenantChange change) {
        return stages(options, task, change).stream().map(Stage::name).toList();
    }
}
