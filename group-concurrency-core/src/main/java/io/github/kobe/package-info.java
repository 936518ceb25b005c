/**
 * Runs work by key: groups in parallel, at most so many at a time inside each group, never more than so many in all, fairly
 * between groups, on virtual threads.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .defaults(GroupLimits.unset().withMaxConcurrency(4))
 *         .globalMaxInFlight(200)
 *         .build();
 * try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
 *     TaskHandle<Report> handle = executor.submit("tenant:a", "report", () -> buildReport());
 *     Report report = handle.await().valueOrThrow();
 * }
 * }</pre>
 *
 * <ul>
 *   <li>{@link io.github.kobe.GroupExecutor} is where to begin: it takes work, and shows and changes what goes on.
 *   <li>{@link io.github.kobe.GroupPolicy} and {@link io.github.kobe.GroupLimits} say how much may run.
 *   <li>{@link io.github.kobe.TaskHandle} and {@link io.github.kobe.GroupResult} are what comes of a task, {@link
 *       io.github.kobe.GroupPermit} is the right to run something inside a group oneself.
 *   <li>{@link io.github.kobe.RejectionPolicy} and {@link io.github.kobe.RejectionHandler} say what becomes of what is not
 *       let in.
 *   <li>{@link io.github.kobe.TaskLifecycleListener}, {@link io.github.kobe.TaskTracer} and {@link
 *       io.github.kobe.GroupRecorder} hear of work; a {@link io.github.kobe.GroupTaskDecorator} goes around it.
 *   <li>{@link io.github.kobe.GroupStats}, {@link io.github.kobe.GroupWaiter} and {@link io.github.kobe.GroupHolder} tell
 *       how a group is doing.
 * </ul>
 *
 * <p>The engine is in {@code io.github.kobe.internal}, which is not exported; its
 * package comment says in which order to read it.
 */
@NullMarked
package io.github.kobe;

import org.jspecify.annotations.NullMarked;
