package io.github.kobe;

import java.util.concurrent.Callable;

/**
 * Wraps tasks as they are submitted: the place to take a context (security, tracing, MDC) from the submitting thread and
 * to put it up on the thread that runs the task.
 *
 * <pre>{@code
 * GroupTaskDecorator withUser = (groupKey, task) -> {
 *     String user = CURRENT_USER.get(); // on the submitting thread
 *     return () -> {
 *         CURRENT_USER.set(user); // on the task's
 *         try {
 *             return task.call();
 *         } finally {
 *             CURRENT_USER.remove();
 *         }
 *     };
 * };
 * }</pre>
 *
 * <p>It is called on the submitting thread, before admission, for each task of {@code submit} and {@code submitAsync};
 * never under a lock. Work on the caller's own thread ({@code call}, {@code acquire}) isn't decorated: its context is
 * there already. If it throws, or returns {@code null}, the task is {@link TaskStatus#FAILED} with that cause. It may be
 * called by many threads at once. A policy may have several: the first is the outermost, so what it puts up is there for
 * all the others.
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
     * @return what runs in its stead: it returns what the task returns, for asynchronous work its stage. Nothing checks
     *     that: a value of another type is a {@link ClassCastException} where the value is used
     */
    Callable<?> decorate(String groupKey, Callable<?> task);
}
