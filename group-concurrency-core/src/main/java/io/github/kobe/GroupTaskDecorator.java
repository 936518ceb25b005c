package io.github.kobe;

import java.util.concurrent.Callable;

/**
 * Wraps tasks as they are submitted: the place to take a context (security, tracing, MDC) from the submitting thread and
 * to put it up on the thread that runs the task.
 *
 * <p>It is called on the submitting thread, before admission, for each task of {@code submit} and {@code submitAsync};
 * never under a lock. Work on the caller's own thread ({@code call}, {@code acquire}) isn't decorated: its context is
 * there already. If it throws, or returns {@code null}, the task is {@link TaskStatus#FAILED} with that cause. It may be
 * called by many threads at once. Its method is generic, so no lambda can stand for it: take a class, or a reference to
 * a generic method.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface GroupTaskDecorator {

    /**
     * Wraps one task.
     *
     * @param groupKey the group that the task is for
     * @param task what to wrap
     * @param <T> the type of the task's value
     * @return what runs in its stead
     */
    <T> Callable<T> decorate(String groupKey, Callable<T> task);
}
