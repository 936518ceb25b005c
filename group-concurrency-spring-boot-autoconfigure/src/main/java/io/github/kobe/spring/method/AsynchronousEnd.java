package io.github.kobe.spring.method;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Knows how a stage or a future that a method returned comes to its end. */
final class AsynchronousEnd {

    /** So many wrappers are looked into. */
    private static final int DEEPEST = 100;

    private AsynchronousEnd() {}

    /**
     * Waits for the end on the method's own virtual thread, which costs next to nothing, so that the permits are held
     * until then. An interrupt, by which the task is cancelled, cancels what is waited for.
     *
     * @param method the method's name
     * @return the value
     * @throws Exception what it ended with
     */
    static @Nullable Object await(@Nullable Object returned, String method) throws Exception {
        Future<?> future = asFuture(returned, "The method", method);
        try {
            return future.get();
        } catch (ExecutionException ended) {
            throw causeOf(ended);
        } catch (InterruptedException interrupted) {
            cancel(returned, future);
            throw interrupted;
        }
    }

    /** Has {@code target} complete as what the fallback of a method of that name returned does, without blocking. */
    static void follow(@Nullable Object returned, String method, CompletableFuture<Object> target) {
        if (returned instanceof CompletionStage<?> stage) {
            stage.whenComplete((value, failure) -> complete(target, value, failure));
            return;
        }
        Future<?> future = asFuture(returned, "The fallback of", method);
        Thread.ofVirtual().inheritInheritableThreadLocals(false).start(() -> {
            try {
                complete(target, future.get(), null);
            } catch (Exception failure) {
                complete(target, null, failure);
            }
        });
    }

    /** Completes a future with a value, or with the exception that is inside its wrappers. */
    static void complete(CompletableFuture<Object> target, @Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            target.complete(value);
        } else {
            target.completeExceptionally(unwrapped(failure));
        }
    }

    /** {@return what a failure wraps, if it does} Causes may go in circles. */
    private static Throwable unwrapped(Throwable failure) {
        Throwable inner = failure;
        for (int depth = 0; depth < DEEPEST && isWrapper(inner) && inner.getCause() != null; depth++) {
            inner = inner.getCause();
        }
        return inner;
    }

    private static boolean isWrapper(Throwable failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException;
    }

    private static Future<?> asFuture(@Nullable Object returned, String subject, String method) {
        return switch (returned) {
            case Future<?> future -> future;
            case CompletionStage<?> stage -> {
                CompletableFuture<Object> end = new CompletableFuture<>();
                stage.whenComplete((value, failure) -> complete(end, value, failure));
                yield end;
            }
            case null, default ->
                throw new IllegalStateException(
                        subject + " " + method + " returned " + returned + " instead of a future");
        };
    }

    private static void cancel(@Nullable Object returned, Future<?> future) {
        future.cancel(true);
        if (!(returned instanceof Future<?>) && returned instanceof CompletionStage<?> stage) {
            try {
                stage.toCompletableFuture().cancel(true);
            } catch (UnsupportedOperationException notOffered) {
                // A stage need not be cancellable; its end is waited for no longer.
            }
        }
    }

    private static Exception causeOf(ExecutionException ended) {
        return switch (unwrapped(ended)) {
            case Error error -> throw error;
            case Exception exception -> exception;
            default -> ended;
        };
    }
}
