package io.github.kobe.rollout;

import java.util.List;

/** The names of the stages that the factory makes for a task now. */
final class StageNames {

    private StageNames() {}

    static List<Stage> stages(RolloutOptions options, TaskRecord task) {
        return List.copyOf(options.stages()
                .stages(TaskInfo.of(task), task.change(), options.settingsOf(task.change()), options.health()));
    }

    static List<String> of(RolloutOptions options, TaskRecord task) {
        return stages(options, task).stream().map(Stage::name).toList();
    }
}
