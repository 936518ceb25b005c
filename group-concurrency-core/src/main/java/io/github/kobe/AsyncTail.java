package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The rest of an asynchronous task after its callable has returned: its stage is open, and its permits of flight are
 * out. They come back when the stage completes, whoever has completed the handle before.
 */
final class AsyncTail implements BiConsumer<@Nullable Object, @Nullable Throwable> {

    private static final VarHandle ENDED;

    static {
        try {
            ENDED = MethodHandles.lookup().findVarHandle(AsyncTail.class, "ended", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final Run run;
    private final CompletionStage<?> stage;
    private final long start;
    /** Whether the stage has completed: one that tells of it twice must not give permits back twice. */
    @SuppressWarnings("UnusedVariable") // through ENDED
    private volatile boolean ended;

    private AsyncTail(Run run, CompletionStage<?> stage, long start) {
        this.run = run;
        this.stage = stage;
        this.start = start;
    }

    /** Takes over from {@code run}, whose callable has returned {@code stage}. */
    static void follow(Run run, CompletionStage<?> stage, long start) {
        AsyncTail tail = new AsyncTail(run, stage, start);
        Engine engine = run.group.engine;
        engine.tails.add(tail);
        boolean engaged = run.task.engage(run, tail);
        run.becomeTailed();
        if (run.closeOnce()) {
            Batch batch = new Batch(engine, engine.nanoTime());
            engine.releases.lastClose(run, batch);
            batch.carryOut();
        }
        if (!engaged) {
            tail.cancelStage();
        } else if (run.isStopped()) {
            run.task.cancel(true);
        }
        whenComplete(stage, tail);
    }

    /** Has {@code action} told how {@code stage} completes, or how it fails to tell; what it fails with is unwrapped. */
    static void whenComplete(CompletionStage<?> stage, BiConsumer<@Nullable Object, @Nullable Throwable> action) {
        try {
            stage.whenComplete((value, failure) -> action.accept(value, unwrap(failure)));
        } catch (Throwable failure) {
            action.accept(null, failure);
        }
    }

    /** Cancels the stage, as well as that can be done. */
    void cancelStage() {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (Throwable unsupported) {
            run.group.engine.reports.uncancellable(run.group.key, unsupported);
        }
    }

    @Override
    public void accept(@Nullable Object value, @Nullable Throwable failure) {
        if (!ENDED.compareAndSet(this, false, true)) {
            return;
        }
        Engine engine = run.group.engine;
        long end = engine.nanoTime();
        Task<?> task = run.task;
        boolean completes = task.claim(this);
        engine.tails.remove(this);
        run.group.counters.ended(completes ? TaskStatus.of(failure) : TaskStatus.CANCELLED);
        if (run.endsPart()) {
            Batch batch = new Batch(engine, end);
            engine.releases.flight(run, batch);
            batch.carryOut();
        }
        GroupResult<?> result =
                completes ? GroupResult.of(task.groupKey(), task.taskId(), value, failure, start, end) : null;
        engine.reports.ended(task, result);
        if (result != null) {
            task.complete(result);
        }
    }

    /** {@return what a task fails with whose callable returned no stage} */
    static Throwable noStage() {
        return new NullPointerException("The task returned null instead of a stage");
    }

    private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        Throwable unwrapped = failure;
        while (unwrapped instanceof CompletionException && unwrapped.getCause() != null) {
            unwrapped = unwrapped.getCause();
        }
        return unwrapped;
    }
}
