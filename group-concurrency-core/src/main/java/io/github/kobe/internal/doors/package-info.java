/**
 * The ways into the engine, and what changes it while it runs.
 *
 * <p>An executor makes an {@code Engine}, which makes the others, and calls them. {@code Admission} admits tasks,
 * {@code Callers} threads, {@code UnderPermit} work under a permit, {@code ScopeBridge} scopes; {@code GroupExecutorService}
 * is a view. {@code Control} changes limits and the policy, {@code Lifecycle} brings all to an end.
 */
@NullMarked
package io.github.kobe.internal.doors;

import org.jspecify.annotations.NullMarked;
