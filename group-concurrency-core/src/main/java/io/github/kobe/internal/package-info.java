/**
 * The engine. Of the API, {@link io.github.kobe.GroupExecutor} and {@link io.github.kobe.GroupPolicy} alone know it; they
 * come in by {@link io.github.kobe.internal.Doors} and {@link io.github.kobe.internal.CompiledPolicy}. Scopes
 * come in by {@link io.github.kobe.internal.ScopeBridge}, with {@link io.github.kobe.internal.Fork} and
 * {@link io.github.kobe.internal.Lineage}. With {@link io.github.kobe.internal.KeyText}, which makes keys safe to show,
 * these are its public types.
 *
 * <h2>In which order to read it</h2>
 *
 * <p>A task meets ten classes from {@code submit} to the start of the next:
 *
 * <ol>
 *   <li>{@link io.github.kobe.internal.Doors}: the one way in
 *   <li>{@link io.github.kobe.internal.Admission}: makes the task, and starts it, queues it, or rejects it
 *   <li>{@link io.github.kobe.internal.Group}: takes permits and gives them back, without a lock if that will do
 *   <li>{@link io.github.kobe.internal.GuardedGroup}: locks the group, and grants what can be granted on the way out
 *   <li>{@link io.github.kobe.internal.GroupState}: decides who gets permits
 *   <li>{@link io.github.kobe.internal.Task}: is granted, cancelled or ended, by exactly one party
 *   <li>{@link io.github.kobe.internal.Dispatcher}: starts a thread
 *   <li>{@link io.github.kobe.internal.Run}: is what has the permits, and the body of that thread
 *   <li>{@link io.github.kobe.internal.Releases}: gives the permits back
 *   <li>{@link io.github.kobe.internal.Batch}: carries out what was decided by that, so that the next one starts
 * </ol>
 *
 * <p>The rest stands beside these, from below to above; {@code LayersTests} keeps the order:
 *
 * <ul>
 *   <li><b>Permits.</b> {@code FreePermits} is the word that has those of a group, {@code GroupWaits} what waits for them in
 *       the {@code GroupQueue}. {@code Ledger} has the global ones while they are short, {@code Credits} while they
 *       aren't.
 *   <li><b>Permits that are out.</b> {@code Hold} is one set of them, {@code Permit} one that was handed out, {@code Holds}
 *       finds them by thread. {@code SharedGlobal} is a global one that several share. {@code Lending} has a
 *       thread {@code Offer} them to what it waits for, the family of a {@code Lineage} perhaps; {@code Borrowing} lends
 *       them, by a {@code Loan}.
 *   <li><b>Work.</b> {@code TaskCompletion} is a task's handle, {@code OpenStage} its open stage; {@code Waiter} a blocked
 *       thread, {@code PermitFuture} one that isn't; {@code Rejections} sees to what isn't let in.
 *   <li><b>Doors.</b> {@code Callers} lets threads in, {@code UnderPermit} what is done under a permit,
 *       {@code GroupExecutorService} is a view, {@code Control} changes limits,
 *       {@code ScopeBridge} lets scopes in.
 *   <li><b>Services,</b> which all layers use: {@code Engine} is what they share; {@code Reports} tells user code,
 *       {@code Endings} in which order; {@code Housekeeper} looks after time, {@code IdleGroups} after groups that nobody
 *       uses, {@code Lifecycle} after the end.
 * </ul>
 *
 * <p>docs/internals/concurrency.md has the words, the states, the locks and the rules, fields.md beside it the fields.
 */
@NullMarked
package io.github.kobe.internal;

import org.jspecify.annotations.NullMarked;
