package io.github.kobe.internal.work;

import io.github.kobe.TaskStatus;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Shown;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The rest of an asynchronous task after its callable has returned: its stage is open, and its in-flight permits are
 * out. They are returned when the stage completes, even if the handle was completed before.
 */
public final class OpenStage extends Shown implements Tail {

    /** More wrappers than stages that were chained put around a failure are a circle. */
    private static final int MOST_WRAPPERS = 1_000;

    private static final VarHandle ENDED;

    static {
        try {
            ENDED = MethodHandles.lookup().findVarHandle(OpenStage.class, "ended", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final Run run;
    private @Nullable CompletionStage<?> stage;
    private long start;
    /** Whether the stage has completed: one that tells of it twice must not give permits back twice. */
    @SuppressWarnings("UnusedVariable") // through ENDED
    private volatile boolean ended;

    OpenStage(Run run) {
        this.run = run;
    }

    /** Takes over from the run, whose callable has returned {@code newStage}. */
    void follow(CompletionStage<?> newStage, long newStart) {
        stage = newStage;
        start = newStart;
        Work engine = Work.of(run.group);
        register();
        boolean engaged = run.task.engage(run, this);
        if (!engaged) {
            run.task.forgetRun();
        }
        run.endInterrupts();
        run.setStageOpen();
        engine.releases.close(run, engine.nanoTime());
        if (!engaged) {
            cancelStage();
        } else if (run.isStopped()) {
            run.task.cancel(true);
        }
        whenComplete(newStage, this);
    }

    @Override
    public Hold hold() {
        return run;
    }

    @Override
    public String id() {
        return "";
    }

    private void register() {
        try {
            run.group.unbound.add(this);
        } catch (OutOfMemoryError oom) {
            // Then a shutdown won't find the stage, and waits for it.
        }
    }

    /** Has {@code action} told how {@code stage} completes, or how it fails to tell; what it fails with is unwrapped. */
    static void whenComplete(CompletionStage<?> stage, Tail action) {
        try {
            stage.whenComplete((value, failure) -> action.accept(value, unwrap(failure)));
        } catch (Throwable failure) {
            action.accept(null, failure);
        }
    }

    @Override
    public void cancelStage() {
        cancel(stage, run.group);
    }

    /** Cancels a stage of {@code group}, as well as that can be done. */
    static void cancel(@Nullable CompletionStage<?> stage, Group group) {
        try {
            Objects.requireNonNull(stage).toCompletableFuture().cancel(true);
        } catch (Throwable unsupported) {
            group.engine.reports.uncancellable(group.key, unsupported);
        }
    }

    /** Ends the task. A stage that completes on a thread without the stack for that leaves it open. */
    @Override
    public void accept(@Nullable Object value, @Nullable Throwable failure) {
        StackReserve.requireToGiveBack();
        if (!ENDED.compareAndSet(this, false, true)) {
            return;
        }
        Work engine = Work.of(run.group);
        long end = engine.nanoTime();
        Task<?> task = run.task;
        Object outcome = task.claim(this) ? Outcome.of(task, value, failure, start, end) : null;
        run.group.unbound.remove(this);
        TaskStatus status = Outcome.statusOf(outcome);
        run.group.counters.ended(status);
        if (run.endsLastPart()) {
            Batch batch = Batch.orNull(engine, end);
            engine.releases.flight(run, batch);
            Batch.carryOutIfMade(batch);
        }
        run.group.record.ended(status, end - start);
        task.reportAndComplete(outcome);
    }

    /** {@return what a task fails with whose callable returned no stage} */
    static Throwable noStage(Task<?> task) {
        return new NullPointerException(task.named() + " returned null instead of a stage");
    }

    /**
     * Looks below what a stage has wrapped its failure in. A cause is user code, which may lead in circles or throw:
     * then the failure is told as far as it was unwrapped.
     */
    private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        Throwable unwrapped = failure;
        for (int depth = 0; depth < MOST_WRAPPERS && unwrapped instanceof CompletionException; depth++) {
            Throwable cause = causeOf(unwrapped);
            if (cause == null) {
                break;
            }
            unwrapped = cause;
        }
        return unwrapped;
    }

    private static @Nullable Throwable causeOf(Throwable failure) {
        try {
            return failure.getCause();
        } catch (Throwable unknown) {
            return null;
        }
    }
}
