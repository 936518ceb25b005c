/**
 * Permits: those that are free, those that wait for them, and those that are out. Nothing here knows tasks, nor who lends.
 *
 * <p>{@code FreePermits} is the word with the permits of a group; {@code Node}s wait for them in the {@code GroupQueue} of its
 * {@code GroupWaits}. {@code Ledger} has the global permits while they are short, {@code Credits} while they aren't.
 * {@code Hold} is one set of permits that is out; {@code Holds} finds those of a thread, {@code Releases} returns them.
 * {@code SharedGlobal} is a global permit that several share. {@code Batch} has what was decided under a lock, and has it
 * carried out after that. {@code Groups} is the engine as a group knows it.
 */
@NullMarked
package io.github.kobe.internal.permits;

import org.jspecify.annotations.NullMarked;
