package io.github.kobe.internal.work;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The work of a task for which the callable alone isn't enough: it has another class loader than the rest of the queue,
 * its own time-out, or returns a stage.
 *
 * @param code what runs
 * @param loader the context class loader of the submitting thread
 * @param timeoutNanos its own limit for the wait; {@link Long#MAX_VALUE}: none
 * @param async whether the code returns a stage
 */
public record WorkSpec(Callable<?> code, @Nullable ClassLoader loader, long timeoutNanos, boolean async) {}
