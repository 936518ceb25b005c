package io.github.kobe;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Is told in numbers how the work of one group starts and ends. It is meant for meters, which then need not be looked
 * up at each event. A {@link Factory} in the policy makes one for each group, and the group keeps it.
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
 * <p><b>What is reported.</b> A recorder is told of the same events that {@link GroupStats#totals} count. Each piece of
 * work is reported once, when it has ended: by {@link #completed} or {@link #rejected}. A call counts by its outcome, a
 * permit as succeeded when it is closed, and a wait that was given up as cancelled. If a caller runs rejected work
 * itself, or a handler supplies its result, the work is reported as rejected only. Re-entry isn't reported. Before
 * that, {@link #started} reports work that had to wait and may now begin.
 *
 * <p><b>Lifetime.</b> A factory is asked when a group is made, when a new policy has another factory or moves the group
 * to another rule, and after an eviction of a group that is in use. Then {@link #removed} is called on the previous
 * recorder, exactly once. That also happens when the group is removed as idle or evicted. A call that was under way at
 * that moment may still arrive after it. Work that is then in flight or waits is reported to the recorder that the
 * group has when the work ends.
 *
 * <p><b>Threads and order.</b> Methods are called by many threads at once, never under a lock and never on the engine's
 * own thread. {@code started} is called before the time of the work begins: for a task or a call on the thread that
 * runs it, which is already inside the group; for a permit on the thread that asked for it, or for one of {@code
 * acquireAsync} on a fresh thread, which isn't. At the end the permits are returned first, then the recorder is
 * called, then a {@link TaskLifecycleListener}, then the handle completes. If a task is cancelled while it runs, or a time-out or a shutdown ends its wait, the handle may be
 * complete before. The thread is the one on which {@code onCompleted} or {@code onRejected} of a listener is called. A
 * recorder may use the executor, but one that does recorded work at each event causes an endless loop.
 *
 * <p><b>Cost.</b> No event makes an object, and the engine takes the same fast paths as without a recorder. If a
 * recorder {@linkplain #wantsTimes wants times}, the clock is read twice for each call and permit; for tasks it is read
 * anyway.
 *
 * <p><b>Errors.</b> What a method throws, even an {@link Error}, has no effect on the work; it is logged once for each
 * method. If a factory throws, that is logged once, and the group has no recorder.
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
         * Makes the recorder of a group, or returns one that groups share. It is called on the thread that first uses
         * the group, replaces the policy or evicts, outside every lock, as a resolver is. Two threads may ask for the
         * same group at the same time: one recorder is used, and {@link GroupRecorder#removed} is called on the other
         * with nothing counted.
         *
         * @param groupKey the group
         * @param rule the exact key or the pattern of the policy that it falls under; empty: neither
         * @return the group's recorder; {@code null}: none
         */
        @Nullable
        GroupRecorder recorder(String groupKey, Optional<String> rule);
    }

    /**
     * Returns whether {@link #completed} needs to know how long work ran. Asked once, when a group gets the recorder.
     *
     * @return {@code false}: the clock isn't read for it
     */
    default boolean wantsTimes() {
        return true;
    }

    /**
     * Returns whether {@link #started} should be called. Asked once, when a group gets the recorder.
     *
     * @return {@code false}: it is never called, and the clock isn't read for it
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
     * @param status how it ended; never {@link TaskStatus#REJECTED}
     * @param nanos how long it ran, in nanoseconds: its code, including the open stage of asynchronous work, or the
     *     time until its permit was closed; -1 if it never began, if {@link #wantsTimes} is {@code false}, or if it
     *     began when nothing wanted times
     */
    default void completed(TaskStatus status, long nanos) {}

    /**
     * Work was not admitted, or waited too long.
     *
     * @param reason why
     */
    default void rejected(RejectionReason reason) {}

    /**
     * The group has been removed, or from now on has another recorder or none.
     *
     * @param totals how work ended while the group had this recorder; {@code submitted} is the sum of the other
     *     numbers. Work that ends at this very moment may be reported to this recorder and counted for the next, or the
     *     other way round
     */
    default void removed(TaskTotals totals) {}
}
