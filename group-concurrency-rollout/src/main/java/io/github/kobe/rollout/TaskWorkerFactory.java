package io.github.kobe.rollout;

/**
 * Wraps the runs of tasks, for example to set up what their thread needs.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TaskWorkerFactory {

    /**
     * {@return what runs instead of a task's run}
     *
     * @param task the task
     * @param run does the stages until the task comes to rest; must be run once, on the same thread
     */
    Runnable create(TaskInfo task, Runnable run);
}
