package io.github.kobe;

import org.jspecify.annotations.Nullable;

/**
 * Follows work piece by piece. Ids need not be unique, so a {@link TaskLifecycleListener} can't tell which events belong
 * together; a tracer makes a {@link TaskTrace} of each piece of work, which hears of that work alone.
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
 * {@code onSubmitted}; never under a lock, by many threads at once. What it throws is logged once, and the work goes on
 * without a trace. Re-entrant work isn't traced. A policy may have several: each is asked, in the order in which they were
 * added, and of several traces of the same work the first wraps it outermost.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TaskTracer {

    /**
     * Tells whether there is anybody to follow work for. Asked for each piece of work before {@link #trace}, by many
     * threads at once, so it has to be as cheap as reading a field. While all tracers of a policy say no, and it has no
     * listener, a call goes the same short way as without them. What it throws counts as yes.
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
     * @return hears of this work; {@code null}: nothing does, and nothing is made for it
     */
    @Nullable
    TaskTrace trace(String groupKey, String taskId);
}
