package io.github.kobe.spring.method;

import io.github.kobe.TaskHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A future that depends on tasks. A thread inside a group that waits for it without a time-out lends its permits to
 * these tasks, to one after the other, as if it waited for the {@link TaskHandle} of each. The same holds for what is
 * made of it by its methods. The wait may go on when the future is done already: until the task that is lent to has ended.
 *
 * <p>What the static methods of {@link CompletableFuture} make of it, or another future's methods, is not known here.
 */
class LendingFuture<T> extends CompletableFuture<T> {

    /** What this is made of. Let go of once that is done, or a chain would keep all that was ever in it. */
    private volatile @Nullable CompletableFuture<?> source;

    /** What else this needs. As {@link #source}. */
    private volatile @Nullable CompletableFuture<?> other;

    /** @param source what this is made of; {@code null}: it is the future of a task */
    LendingFuture(@Nullable LendingFuture<?> source) {
        this.source = source;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        letGo();
        return new LendingFuture<>(this);
    }

    // ---- waits

    @Override
    public T get() throws InterruptedException, ExecutionException {
        lend();
        return super.get();
    }

    @Override
    public T join() {
        boolean interrupted = false;
        while (true) {
            try {
                lend();
                break;
            } catch (InterruptedException again) {
                interrupted = true; // a join goes on, and so does what it lends
            }
        }
        try {
            return super.join();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Lends to one task after the other, until none is left that waits for its turn, or this is done. */
    private void lend() throws InterruptedException {
        if (isDone()) {
            letGo();
            return;
        }
        Deque<CompletableFuture<?>> needed = new ArrayDeque<>();
        Set<CompletableFuture<?>> seen = new HashSet<>();
        needed.push(this);
        for (CompletableFuture<?> next = needed.poll(); next != null && !isDone(); next = needed.poll()) {
            switch (next) {
                case Composed composed -> add(composed.awaitUnlessDone(this), needed, seen);
                case DispatchedFuture dispatched -> dispatched.lendUntilItsEnd();
                case LendingFuture<?> derived -> {
                    add(derived.other, needed, seen);
                    add(derived.source, needed, seen);
                }
                default -> {} // somebody else's
            }
        }
    }

    private static void add(
            @Nullable CompletableFuture<?> future, Deque<CompletableFuture<?>> needed, Set<CompletableFuture<?>> seen) {
        if (future != null && !isOver(future) && seen.add(future)) {
            needed.push(future);
        }
    }

    private static boolean isOver(CompletableFuture<?> future) {
        return !(future instanceof Composed) && future.isDone();
    }

    private void letGo() {
        CompletableFuture<?> first = source;
        if (first != null && (isDone() || first.isDone())) {
            source = null;
        }
        CompletableFuture<?> second = other;
        if (second != null && (isDone() || isOver(second))) {
            other = null;
        }
    }

    // ---- what needs more than this

    private static <F extends CompletableFuture<?>> F needing(CompletionStage<?> also, F made) {
        // If what else it needs is done, it is perhaps made of that.
        if (made instanceof LendingFuture<?> lending && also instanceof LendingFuture<?> known) {
            lending.other = known;
        }
        return made;
    }

    /** Completes with the stage that a function returns; with {@code null} if it is never called, or fails. */
    private static final class Composed extends CompletableFuture<@Nullable CompletionStage<?>> {

        <A, S extends CompletionStage<?>> Function<A, S> by(Function<? super A, ? extends S> function) {
            Objects.requireNonNull(function);
            return value -> {
                S stage = function.apply(value);
                complete(stage);
                return stage;
            };
        }

        @SuppressWarnings("FutureReturnValueIgnored") // nothing follows
        <F extends CompletableFuture<?>> F neededBy(F made) {
            if (made instanceof LendingFuture<?> lending) {
                lending.other = this;
                made.whenComplete((value, failure) -> complete(null));
            }
            return made;
        }

        /** {@return the stage; {@code null}: it is not known here, or {@code waited} is done} */
        @Nullable
        CompletableFuture<?> awaitUnlessDone(CompletableFuture<?> waited) throws InterruptedException {
            if (!isDone()) {
                try {
                    Object unused = anyOf(this, waited).get();
                } catch (ExecutionException failed) {
                    return null; // which the caller's own get tells
                }
            }
            return getNow(null) instanceof LendingFuture<?> stage ? stage : null;
        }
    }

    @Override
    public <U, V> CompletableFuture<V> thenCombine(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> action) {
        return needing(other, super.thenCombine(other, action));
    }

    @Override
    public <U, V> CompletableFuture<V> thenCombineAsync(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> action) {
        return needing(other, super.thenCombineAsync(other, action));
    }

    @Override
    public <U, V> CompletableFuture<V> thenCombineAsync(
            CompletionStage<? extends U> other,
            BiFunction<? super T, ? super U, ? extends V> action,
            Executor executor) {
        return needing(other, super.thenCombineAsync(other, action, executor));
    }

    @Override
    public <U> CompletableFuture<Void> thenAcceptBoth(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> action) {
        return needing(other, super.thenAcceptBoth(other, action));
    }

    @Override
    public <U> CompletableFuture<Void> thenAcceptBothAsync(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> action) {
        return needing(other, super.thenAcceptBothAsync(other, action));
    }

    @Override
    public <U> CompletableFuture<Void> thenAcceptBothAsync(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> action, Executor executor) {
        return needing(other, super.thenAcceptBothAsync(other, action, executor));
    }

    @Override
    public CompletableFuture<Void> runAfterBoth(CompletionStage<?> other, Runnable action) {
        return needing(other, super.runAfterBoth(other, action));
    }

    @Override
    public CompletableFuture<Void> runAfterBothAsync(CompletionStage<?> other, Runnable action) {
        return needing(other, super.runAfterBothAsync(other, action));
    }

    @Override
    public CompletableFuture<Void> runAfterBothAsync(CompletionStage<?> other, Runnable action, Executor executor) {
        return needing(other, super.runAfterBothAsync(other, action, executor));
    }

    @Override
    public <U> CompletableFuture<U> applyToEither(CompletionStage<? extends T> other, Function<? super T, U> action) {
        return needing(other, super.applyToEither(other, action));
    }

    @Override
    public <U> CompletableFuture<U> applyToEitherAsync(
            CompletionStage<? extends T> other, Function<? super T, U> action) {
        return needing(other, super.applyToEitherAsync(other, action));
    }

    @Override
    public <U> CompletableFuture<U> applyToEitherAsync(
            CompletionStage<? extends T> other, Function<? super T, U> action, Executor executor) {
        return needing(other, super.applyToEitherAsync(other, action, executor));
    }

    @Override
    public CompletableFuture<Void> acceptEither(CompletionStage<? extends T> other, Consumer<? super T> action) {
        return needing(other, super.acceptEither(other, action));
    }

    @Override
    public CompletableFuture<Void> acceptEitherAsync(CompletionStage<? extends T> other, Consumer<? super T> action) {
        return needing(other, super.acceptEitherAsync(other, action));
    }

    @Override
    public CompletableFuture<Void> acceptEitherAsync(
            CompletionStage<? extends T> other, Consumer<? super T> action, Executor executor) {
        return needing(other, super.acceptEitherAsync(other, action, executor));
    }

    @Override
    public CompletableFuture<Void> runAfterEither(CompletionStage<?> other, Runnable action) {
        return needing(other, super.runAfterEither(other, action));
    }

    @Override
    public CompletableFuture<Void> runAfterEitherAsync(CompletionStage<?> other, Runnable action) {
        return needing(other, super.runAfterEitherAsync(other, action));
    }

    @Override
    public CompletableFuture<Void> runAfterEitherAsync(CompletionStage<?> other, Runnable action, Executor executor) {
        return needing(other, super.runAfterEitherAsync(other, action, executor));
    }

    @Override
    public <U> CompletableFuture<U> thenCompose(Function<? super T, ? extends CompletionStage<U>> function) {
        Composed composed = new Composed();
        return composed.neededBy(super.thenCompose(composed.by(function)));
    }

    @Override
    public <U> CompletableFuture<U> thenComposeAsync(Function<? super T, ? extends CompletionStage<U>> function) {
        Composed composed = new Composed();
        return composed.neededBy(super.thenComposeAsync(composed.by(function)));
    }

    @Override
    public <U> CompletableFuture<U> thenComposeAsync(
            Function<? super T, ? extends CompletionStage<U>> function, Executor executor) {
        Composed composed = new Composed();
        return composed.neededBy(super.thenComposeAsync(composed.by(function), executor));
    }

    @Override
    public CompletableFuture<T> exceptionallyCompose(Function<Throwable, ? extends CompletionStage<T>> function) {
        Composed composed = new Composed();
        return composed.neededBy(super.exceptionallyCompose(composed.by(function)));
    }

    @Override
    public CompletableFuture<T> exceptionallyComposeAsync(Function<Throwable, ? extends CompletionStage<T>> function) {
        Composed composed = new Composed();
        return composed.neededBy(super.exceptionallyComposeAsync(composed.by(function)));
    }

    @Override
    public CompletableFuture<T> exceptionallyComposeAsync(
            Function<Throwable, ? extends CompletionStage<T>> function, Executor executor) {
        Composed composed = new Composed();
        return composed.neededBy(super.exceptionallyComposeAsync(composed.by(function), executor));
    }
}
