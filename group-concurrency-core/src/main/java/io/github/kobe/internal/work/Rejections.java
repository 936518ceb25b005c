package io.github.kobe.internal.work;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.base.Removal;
import io.github.kobe.internal.base.Reports;
import io.github.kobe.internal.work.Outcome.LazyResult;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Handles rejected tasks, which are already counted and claimed, and have no permits. */
public final class Rejections {

    private final Core core;

    /**
     * Those that are open, or that code which runs may still return. Each is kept by its stage, its handle and the thread
     * of its code, and forgotten once nobody has any of these.
     */
    private final Set<Reference<CallersStage>> stages = ConcurrentHashMap.newKeySet();

    private final ReferenceQueue<CallersStage> collected = new ReferenceQueue<>();

    Rejections(Core core) {
        this.core = core;
    }

    /**
     * Tells of it, and completes the handle by handler or policy; without any lock.
     *
     * @param work the task's work, queued or not
     * @param bySubmitter whether the current thread is the one that submits it
     */
    public void reject(Task<?> task, Object work, Rejection rejection, boolean bySubmitter) {
        try {
            decide(task, work, rejection, bySubmitter);
        } catch (OutOfMemoryError oom) {
            if (!task.isDone()) {
                task.complete(LazyResult.OUT_OF_MEMORY);
            }
        }
    }

    /**
     * {@return how a task ends whose time is up, if no handler speaks for it; else {@code null}} It doesn't fail.
     */
    @Nullable
    Object outcomeWithoutHandler(Task<?> task, RejectionReason reason) {
        try {
            CompiledPolicy policy = core.policy;
            return task.heedsHandler() && policy.source().rejectionHandler().isPresent()
                    ? null
                    : outcome(policy, task, task.group.rejection(reason, task));
        } catch (OutOfMemoryError oom) {
            return LazyResult.OUT_OF_MEMORY;
        }
    }

    private static Object outcome(CompiledPolicy policy, Task<?> task, Rejection rejection) {
        return ruleFor(task, policy) == RejectionPolicy.DISCARD
                ? GroupResult.rejected(task.groupKey(), task.taskId(), rejection.reason())
                : rejection;
    }

    private static RejectionPolicy ruleFor(Task<?> task, CompiledPolicy policy) {
        return task.heedsPolicy() ? policy.source().rejectionPolicy() : RejectionPolicy.ABORT;
    }

    private void decide(Task<?> task, Object work, Rejection rejection, boolean bySubmitter) {
        task.tellRejected(rejection.reason());
        Callable<?> code = work instanceof WorkSpec tailored ? tailored.code() : (Callable<?>) work;
        CompiledPolicy policy = core.policy;
        RejectionHandler handler = policy.source().rejectionHandler().orElse(null);
        if (handler != null && task.heedsHandler()) {
            task.complete(resultOf(handler, task, code, rejection.reason()));
            return;
        }
        RejectionPolicy rule = ruleFor(task, policy);
        if (rule == RejectionPolicy.CALLER_RUNS
                && bySubmitter
                && rejection.reason() != RejectionReason.QUEUE_TIMEOUT
                && !task.group.countsStarts()) {
            runHere(task, code, work instanceof WorkSpec tailored && tailored.async());
        } else {
            task.complete(outcome(policy, task, rejection));
        }
    }

    /** {@return {@code result}, which names {@code reason} if it is of a rejection and names none} */
    private static <T> GroupResult<T> because(GroupResult<T> result, RejectionReason reason) {
        return result.status() != TaskStatus.REJECTED || result.rejectionReason() != null
                ? result
                : GroupResult.rejected(result.groupKey(), result.taskId(), reason);
    }

    @SuppressWarnings("ConstantValue") // user code may return null, whatever it declares
    private GroupResult<?> resultOf(RejectionHandler handler, Task<?> task, Callable<?> code, RejectionReason reason) {
        Throwable cause;
        task.beginTelling();
        try {
            GroupResult<?> result = handler.onRejected(task.groupKey(), task.taskId(), code);
            if (result != null) {
                return because(result, reason);
            }
            cause = new NullPointerException("The rejection handler returned null");
        } catch (Throwable failure) {
            cause = failure;
        } finally {
            task.endTelling();
        }
        return GroupResult.failed(task.groupKey(), task.taskId(), cause, 0, 0);
    }

    /** CALLER_RUNS: what the task does to the thread is undone. */
    private void runHere(Task<?> task, Callable<?> code, boolean async) {
        Thread thread = Thread.currentThread();
        ClassLoader loader = thread.getContextClassLoader();
        boolean interrupted = thread.isInterrupted();
        CallersStage tail = async ? newStage(task) : null;
        Object value = null;
        Throwable failure = null;
        long start = core.nanoTime();
        try {
            value = code.call();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        long end = core.nanoTime();
        thread.setContextClassLoader(loader);
        if (interrupted) {
            thread.interrupt();
        } else {
            Thread.interrupted();
        }
        if (tail != null && value instanceof CompletionStage<?> stage) {
            tail.follow(stage, start);
            return;
        }
        if (tail != null) {
            forget(tail.known);
            failure = failure == null ? OpenStage.noStage(task) : failure;
        }
        task.complete(Reports.resultOf(task.groupKey(), task.taskId(), value, failure, start, end));
    }

    // ---- stages of what submitters run themselves

    private CallersStage newStage(Task<?> task) {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            forget(gone);
        }
        CallersStage made = new CallersStage(task, this, collected);
        try {
            stages.add(made.known);
        } catch (OutOfMemoryError oom) {
            // Then a shutdown won't find the stage.
        }
        // Looked at after it is in: a shutdown either finds it, or is seen here.
        if (core.stage.isOver()) {
            boolean unused = made.stop();
        }
        return made;
    }

    void forget(Reference<?> known) {
        Removal.from(stages, known);
    }

    /** Cancels those of the tasks that are {@code chosen}; returns whether there were any. */
    public boolean stopStages(Predicate<Task<?>> chosen) {
        boolean any = false;
        for (Reference<CallersStage> known : stages) {
            CallersStage stage = known.get();
            any |= stage != null && chosen.test(stage.task) && stage.stop();
        }
        return any;
    }
}
