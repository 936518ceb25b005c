/**
 * Runs work by key, on virtual threads. Groups run in parallel, each with its own limit, under one limit for all
 * groups, and take fair turns.
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
 *   <li>{@link io.github.kobe.GroupExecutor} is where to begin: it accepts work, and shows and
 *       controls what runs.
 *   <li>{@link io.github.kobe.GroupPolicy} and {@link io.github.kobe.GroupLimits} say how much may run.
 *   <li>{@link io.github.kobe.TaskHandle} and {@link io.github.kobe.GroupResult} are the outcome of a task, {@link
 *       io.github.kobe.GroupPermit} is the right to run code of your own inside a group.
 *   <li>{@link io.github.kobe.RejectionPolicy} and {@link io.github.kobe.RejectionHandler} say what happens to work
 *       that is rejected.
 *   <li>{@link io.github.kobe.TaskLifecycleListener}, {@link io.github.kobe.TaskTracer} and {@link
 *       io.github.kobe.GroupRecorder} are told about work; a {@link io.github.kobe.GroupTaskDecorator} wraps it.
 *   <li>{@link io.github.kobe.GroupStats}, {@link io.github.kobe.GroupWaiter} and {@link io.github.kobe.GroupHolder} show
 *       what a group is doing.
 * </ul>
 *
 * <p>Unless {@code @Nullable} says otherwise, no argument may be {@code null}: a method that is given {@code null} throws a
 * {@link java.lang.NullPointerException}.
 *
 * <p>The engine is in {@code io.github.kobe.internal}, which is not exported; its package comment gives the order in
 * which to read it.
 */
@NullMarked
package io.github.kobe;

import org.jspecify.annotations.NullMarked;
