package io.github.kobe.rollout;

/**
 * Stands around the runs of tasks, such as to set up what their thread needs.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TaskWorkerFactory {

    /**
     * {@return what is run in place of a task's run}
     *
     * @param task the task
     * @param run the stages that it does until it comes to rest; to be run once, on the same thread
     */
    Runnable create(TaskInfo task, Runnable run);
}
