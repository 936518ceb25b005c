/**
 * The engine. In the API, only {@link io.github.kobe.GroupExecutor} and {@link io.github.kobe.GroupPolicy} know it; they
 * enter by {@link io.github.kobe.internal.Doors} and {@link io.github.kobe.internal.CompiledPolicy}. Scopes enter by
 * {@link io.github.kobe.internal.ScopeBridge}, with {@link io.github.kobe.internal.Fork} and
 * {@link io.github.kobe.internal.Lineage}. These are its public types, together with
 * {@link io.github.kobe.internal.KeyText}, which makes keys safe to show.
 *
 * <h2>In which order to read it</h2>
 *
 * <p>From {@code submit} to the start of the next one, a task passes through ten classes:
 *
 * <ol>
 *   <li>{@link io.github.kobe.internal.Doors}: the only way in
 *   <li>{@link io.github.kobe.internal.Admission}: makes the task, and starts it, queues it, or rejects it
 *   <li>{@link io.github.kobe.internal.Group}: takes and returns permits, without a lock if possible
 *   <li>{@link io.github.kobe.internal.GuardedGroup}: locks the group, and grants what can be granted on the way out
 *   <li>{@link io.github.kobe.internal.GroupState}: decides who gets permits
 *   <li>{@link io.github.kobe.internal.Task}: exactly one party grants, cancels or ends it
 *   <li>{@link io.github.kobe.internal.Dispatcher}: starts a thread
 *   <li>{@link io.github.kobe.internal.Run}: holds the permits, and is the body of that thread
 *   <li>{@link io.github.kobe.internal.Releases}: returns the permits
 *   <li>{@link io.github.kobe.internal.Batch}: carries out the resulting decisions, so that the next one starts
 * </ol>
 *
 * <p>These are the other classes, from bottom to top; {@code LayersTests} enforces the order:
 *
 * <ul>
 *   <li><b>What every part may know.</b> {@code Core} has the clock, the policy in force and the {@code Stage} of the end;
 *       {@code Reports} calls user code, {@code SafeRecorder} that of one group.
 *   <li><b>Permits.</b> {@code FreePermits} is the word with the permits of a group; nodes wait for them in the
 *       {@code GroupQueue} of its {@code GroupWaits}. {@code Ledger} has the global permits while they are short,
 *       {@code Credits} while they aren't.
 *   <li><b>Permits that are out.</b> {@code Hold} is one set of them, {@code Permit} one that was handed out, {@code Holds}
 *       finds them by thread. {@code SharedGlobal} is a global permit that several share. By {@code Lending}, a thread
 *       makes an {@code Offer} of its permits to the work that it waits for, which may be the family of a
 *       {@code Lineage}; {@code Borrowing} lends them, by a {@code Loan}.
 *   <li><b>Work.</b> {@code TaskCompletion} is a task's handle, {@code OpenStage} its open stage; {@code Waiter} is a
 *       blocked thread, {@code PermitFuture} a request that blocks none; {@code Rejections} handles rejected tasks.
 *   <li><b>Doors.</b> {@code Callers} admits threads, {@code UnderPermit} work under a permit, {@code ScopeBridge}
 *       scopes; {@code GroupExecutorService} is a view; {@code Control} changes limits.
 *   <li><b>Services,</b> which all layers above the lowest use: {@code Engine} makes them and has the map of groups;
 *       {@code Endings} decides in which order user code is called; {@code Housekeeper} looks after time,
 *       {@code IdleGroups} after unused groups, {@code Lifecycle} after the shutdown.
 * </ul>
 *
 * <p>docs/internals/concurrency.md has the words, the states, the locks and the rules; fields.md beside it has the fields.
 */
@NullMarked
package io.github.kobe.internal;

import org.jspecify.annotations.NullMarked;
