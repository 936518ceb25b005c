package io.github.kobe;

import org.jspecify.annotations.Nullable;

/**
 * Follows each piece of work separately. Ids need not be unique, so a {@link TaskLifecycleListener} can't tell which
 * events belong together. A tracer makes a {@link TaskTrace} for each piece of work, which is told about that work
 * alone.
 *
 * <pre>{@code
 * TaskTracer slowWork = (groupKey, taskId) -> new TaskTrace() {
 *     @Override
 *     public void onCompleted(GroupResult<?> result) {
 *         if (result.durationNanos() > 1_000_000_000L) {
 *             logger.log(Level.INFO, groupKey + "/" + taskId + " was slow");
 *         }
 *     }
 * };
 * }</pre>
 *
 * <p>It is called on the thread that is about to submit the work or to ask for a permit, before the listener's
 * {@code onSubmitted}; never under a lock, and by many threads at once. What it throws is logged once, and the work
 * goes on without a trace. Re-entrant work isn't traced. A policy may have several tracers: each is asked, in the order
 * in which they were added. If several trace the same work, the first one's trace is the outermost wrapper.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TaskTracer {

    /**
     * Returns whether work should be traced at all. This is asked for each piece of work before {@link #trace}, by many
     * threads at once, so it has to be as cheap as reading a field. While all tracers of a policy return {@code false},
     * and it has no listener, a call takes the same fast path as without tracers. An exception counts as {@code true}.
     *
     * @return {@code false}: {@link #trace} isn't asked
     */
    default boolean isOn() {
        return true;
    }

    /**
     * Begins to follow one piece of work.
     *
     * @param groupKey its group
     * @param taskId its id
     * @return the trace of this work; {@code null}: this work isn't traced, and costs nothing more
     */
    @Nullable
    TaskTrace trace(String groupKey, String taskId);
}
