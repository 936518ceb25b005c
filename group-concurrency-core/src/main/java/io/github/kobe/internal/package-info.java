/**
 * The engine. In the API, only {@link io.github.kobe.GroupExecutor} and {@link io.github.kobe.GroupPolicy} know it; they
 * enter by {@link io.github.kobe.internal.doors.Engine} and {@link io.github.kobe.internal.base.CompiledPolicy}. Scopes enter
 * by {@link io.github.kobe.internal.doors.ScopeBridge}, with {@link io.github.kobe.internal.work.Fork} and
 * {@link io.github.kobe.internal.base.Lineage}. {@link io.github.kobe.cluster.ClusterStore} makes
 * {@link io.github.kobe.internal.cluster.InMemoryStore}. All may use {@link io.github.kobe.internal.base.KeyText}, which makes keys
 * safe to show.
 *
 * <h2>In which order to read it</h2>
 *
 * <p>It is in seven packages, and each knows those below it alone; {@code LayersTests} sees to that. From below to above:
 *
 * <ul>
 *   <li>{@code jfr}: events for the Flight Recorder
 *   <li>{@code base}: what every part may know
 *   <li>{@code permits}: groups, their permits and queues, the global limit, permits that are out
 *   <li>{@code lending}: permits of those who wait, for the work that they wait for
 *   <li>{@code work}: tasks, threads and requests that wait, permits that were handed out
 *   <li>{@code doors}: the ways in
 *   <li>{@code cluster}: limits that many executors share
 * </ul>
 *
 * <p>What is below calls what is above by an interface of its own, or by an abstract method: a node is started, a batch
 * continues with a group, groups ask {@code Groups}, which {@code Work} and {@code Engine} extend, for what lending does.
 *
 * <p>Nine classes take part from {@code submit} of a task to the start of another that waits for its permits:
 *
 * <ol>
 *   <li>{@link io.github.kobe.internal.doors.Admission}: makes the task, and starts it, queues it, or rejects it
 *   <li>{@link io.github.kobe.internal.permits.Group}: takes and returns permits, without a lock if possible
 *   <li>{@link io.github.kobe.internal.permits.GuardedGroup}: locks the group, and grants what can be granted on the way out
 *   <li>{@link io.github.kobe.internal.permits.GroupState}: decides who gets permits
 *   <li>{@link io.github.kobe.internal.work.Task}: exactly one party grants, cancels or ends it
 *   <li>{@link io.github.kobe.internal.work.Dispatcher}: starts a thread
 *   <li>{@link io.github.kobe.internal.work.Run}: holds the permits, and is the body of that thread
 *   <li>{@link io.github.kobe.internal.permits.Releases}: returns the permits
 *   <li>{@link io.github.kobe.internal.permits.Batch}: has the resulting decisions carried out, so that the next one starts
 * </ol>
 *
 * <p>docs/internals/concurrency.md has the words, the states, the locks and the rules; fields.md beside it has the fields.
 */
@NullMarked
package io.github.kobe.internal;

import org.jspecify.annotations.NullMarked;
