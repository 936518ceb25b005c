package io.github.kobe;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Hears how the work of one group starts and ends, in numbers alone: for meters, which so need not be looked up at each
 * event. A {@link Factory} in the policy makes one for each group, which keeps it.
 *
 * <pre>{@code
 * GroupPolicy.builder().recorderFactory((groupKey, rule) -> {
 *     Timer runs = registry.timer("runs", "rule", rule.orElse("none")); // once, not at each event
 *     return new GroupRecorder() {
 *         @Override
 *         public void completed(TaskStatus status, long nanos) {
 *             if (nanos >= 0) {
 *                 runs.record(nanos, TimeUnit.NANOSECONDS);
 *             }
 *         }
 *     };
 * });
 * }</pre>
 *
 * <p><b>What it hears</b> is what {@link GroupStats#totals} count. Each piece of work is told once, when it has ended: by
 * {@link #completed} or {@link #rejected}. A call counts by its outcome, a permit as succeeded when it is closed, a wait
 * that was given up as cancelled. What a caller ran itself after a rejection, or a handler supplied a result for, is
 * rejected only. Re-entry isn't told. Before that, {@link #started} tells of what had to wait and may begin.
 *
 * <p><b>Its life.</b> A factory is asked when a group is made, when a policy that is put in force has another factory or
 * puts the group under another rule, and after an eviction of a group that is in use. Then the recorder of before hears
 * {@link #removed}, once and for all, and so it does when the group is removed as idle or evicted. A call that was under way
 * at that moment may still come in after it. What is in flight or waits then is told to the recorder that the group has
 * when it ends.
 *
 * <p><b>Threads and order.</b> Methods are called by many threads at once, never under a lock and never on the
 * engine's own thread. {@code started} is called before the time of the work begins, on the thread that runs it, which is
 * inside the group already; for a permit of {@code acquireAsync} on a fresh thread, which isn't. At the end the permits
 * return first, then the recorder hears, then a {@link TaskLifecycleListener}, then the handle completes; of a task that is
 * cancelled while it runs, or whose wait is ended by a time-out or a shutdown, the handle may be complete before. The thread
 * is that on which {@code onCompleted} or {@code onRejected} of a listener is called. A recorder may use the executor; one
 * that does recorded work at each event never ends.
 *
 * <p><b>Cost.</b> No event makes an object, and the engine goes the same short ways as without a recorder. For one that
 * {@linkplain #wantsTimes wants times} the clock is read twice for each call and permit; a task's is read anyway.
 *
 * <p><b>Errors.</b> What a method throws, an {@link Error} too, changes nothing; it is logged once for each method. A
 * factory that throws is logged once, and the group has no recorder.
 *
 * @since 0.1.0
 */
public interface GroupRecorder {

    /**
     * Makes the recorders of groups.
     *
     * @since 0.1.0
     */
    @FunctionalInterface
    interface Factory {

        /**
         * Makes the recorder of a group, or gives one that groups share. It is called on the thread that first uses the
         * group, replaces the policy or evicts, outside every lock, as a resolver is. Two threads may ask at the same time
         * for one group: one answer stands, and the other recorder hears {@link GroupRecorder#removed} with nothing counted.
         *
         * @param groupKey the group
         * @param rule the exact key or the pattern of the policy that it falls under; empty: neither
         * @return hears of the group's work; {@code null}: nothing does
         */
        @Nullable
        GroupRecorder recorder(String groupKey, Optional<String> rule);
    }

    /**
     * Decides whether {@link #completed} is given how long work ran. Asked once, when a group gets the recorder.
     *
     * @return {@code false}: the clock isn't read for that
     */
    default boolean wantsTimes() {
        return true;
    }

    /**
     * Tells whether {@link #started} is to be called. Asked once, when a group gets the recorder.
     *
     * @return {@code false}: it never is, and the clock isn't read for that
     */
    default boolean wantsWaits() {
        return true;
    }

    /**
     * Work that had to wait has its permits and is about to begin. Not called for work that began at once.
     *
     * @param queuedNanos how long it waited, in nanoseconds; at least 0
     */
    default void started(long queuedNanos) {}

    /**
     * Work has ended, and its permits are back.
     *
     * @param status how; never {@link TaskStatus#REJECTED}
     * @param nanos how long it ran, in nanoseconds: its code, the open stage of asynchronous work included, or the time
     *     until its permit was closed; -1 if it never began, if {@link #wantsTimes} says so, or if it began when nobody
     *     wanted to know
     */
    default void completed(TaskStatus status, long nanos) {}

    /**
     * Work was not let in, or waited too long.
     *
     * @param reason why
     */
    default void rejected(RejectionReason reason) {}

    /**
     * The group has gone, or has another recorder from now on, or none.
     *
     * @param totals how work ended while the group had this recorder; {@code submitted} is the sum of those. Work that ends
     *     in this very moment may be told to this recorder and counted for the next, or the other way round
     */
    default void removed(TaskTotals totals) {}
}
