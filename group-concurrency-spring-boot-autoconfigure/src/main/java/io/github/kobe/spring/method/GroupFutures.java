package io.github.kobe.spring.method;

import java.util.concurrent.CompletableFuture;

/**
 * What {@link CompletableFuture} has static methods for, which know nothing of the futures that annotated methods return.
 *
 * @since 0.1.0
 */
public final class GroupFutures {

    private GroupFutures() {}

    /**
     * Completes when all futures are complete, as {@link CompletableFuture#allOf} does. Code inside a group that waits for
     * the result without a time-out, by {@code get()} or {@code join()}, lends its permits to the annotated methods whose
     * futures are among these, and to those that such futures were made of, to one after the other. With
     * {@code CompletableFuture.allOf} it would lend nothing, and could wait for ever for methods of its own group.
     *
     * <pre>{@code
     * CompletableFuture<Report> one = reports.build("a");
     * CompletableFuture<Report> next = reports.build("b");
     * GroupFutures.allOf(one, next).join();
     * }</pre>
     *
     * @param futures any futures; none: the result is complete
     * @return a future without a value; if one of {@code futures} fails, it fails with a
     *     {@link java.util.concurrent.CompletionException} that has that failure as its cause
     * @throws NullPointerException if one is {@code null}
     */
    public static CompletableFuture<Void> allOf(CompletableFuture<?>... futures) {
        return futures.length == 0 ? CompletableFuture.completedFuture(null) : allOf(futures, 0, futures.length);
    }

    /** As a tree, so that no chain of them is long. */
    private static CompletableFuture<Void> allOf(CompletableFuture<?>[] futures, int from, int to) {
        if (to - from == 1) {
            return futures[from].thenRun(() -> {});
        }
        int middle = (from + to) >>> 1;
        CompletableFuture<Void> first = allOf(futures, from, middle);
        CompletableFuture<Void> second = allOf(futures, middle, to);
        // The one whose method is called decides what is made of both.
        return first instanceof LendingFuture
                ? first.runAfterBoth(second, () -> {})
                : second.runAfterBoth(first, () -> {});
    }
}
