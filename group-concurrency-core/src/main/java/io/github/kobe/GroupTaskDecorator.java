package io.github.kobe;

import java.util.concurrent.Callable;

/**
 * Wraps tasks as they are submitted. Use it to capture a context (security, tracing, MDC) on the submitting thread and
 * to set it on the thread that runs the task.
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
 * there already. If the decorator throws, or returns {@code null}, the task is {@link TaskStatus#FAILED} with that
 * cause. It may be called by many threads at once. A policy may have several decorators: the first is the outermost, so
 * the others see the context that it sets.
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
     * @return what runs instead; it must return what the task returns, for asynchronous work its stage. Nothing checks
     *     that: a value of another type causes a {@link ClassCastException} where the value is used
     */
    Callable<?> decorate(String groupKey, Callable<?> task);
}
