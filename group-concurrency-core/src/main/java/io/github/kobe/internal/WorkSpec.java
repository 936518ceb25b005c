package io.github.kobe.internal;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The work of a task that differs from the plain case, in which a queued task has its callable alone: another class
 * loader than the rest of the queue, a time-out of its own, or a stage to come.
 *
 * @param code what runs
 * @param loader the context class loader of the submitting thread
 * @param timeoutNanos how long it may wait by its own wish; {@link Long#MAX_VALUE}: no wish
 * @param async whether the code gives a stage
 */
record WorkSpec(Callable<?> code, @Nullable ClassLoader loader, long timeoutNanos, boolean async) {}
