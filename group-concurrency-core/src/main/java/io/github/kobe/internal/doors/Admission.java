package io.github.kobe.internal.doors;

import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.SharedGlobal;
import io.github.kobe.internal.work.Fork;
import io.github.kobe.internal.work.ForkTask;
import io.github.kobe.internal.work.NodeFactory;
import io.github.kobe.internal.work.Outcome;
import io.github.kobe.internal.work.Run;
import io.github.kobe.internal.work.TailoredTask;
import io.github.kobe.internal.work.Taken;
import io.github.kobe.internal.work.Task;
import io.github.kobe.internal.work.TracedTask;
import io.github.kobe.internal.work.WorkSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Admits submitted tasks, or rejects them. */
public final class Admission {

    private final Engine engine;

    Admission(Engine engine) {
        this.engine = engine;
    }

    public <T> Task<T> submit(String key, String id, Callable<T> task) {
        engine.requireAdmits();
        return admit(key, id, task, Long.MAX_VALUE, false, Admission::newTask);
    }

    public <T> Task<T> submit(GroupTask<T> task) {
        engine.requireAdmits();
        return admit(task, false, factoryFor(task));
    }

    public <T> Task<T> submitAsync(String key, String id, Callable<? extends CompletionStage<T>> task) {
        engine.requireAdmits();
        return admit(key, id, task, Long.MAX_VALUE, true, Admission::newTask);
    }

    public <T> Task<T> submitAsync(GroupTask<? extends CompletionStage<T>> task) {
        engine.requireAdmits();
        return admit(task, true, factoryFor(task));
    }

    private static <T> NodeFactory<Task<T>> factoryFor(GroupTask<?> task) {
        return task.abortOnRejection() || !task.costs().areUnsaid()
                ? (group, id, work, trace) -> tailored(group, id, work, trace, task)
                : Admission::newTask;
    }

    private static <T> Task<T> tailored(
            Group group, String id, Object work, @Nullable TaskTrace trace, GroupTask<?> task) {
        group.tellOfUnknown(task.costs());
        return new TailoredTask<>(group, id, work, trace, task);
    }

    private <T> Task<T> admit(GroupTask<?> task, boolean async, NodeFactory<Task<T>> factory) {
        return admit(
                task.groupKey(),
                task.taskId(),
                task.task(),
                EffectiveLimits.saturatedNanos(task.queueTimeout()),
                async,
                factory);
    }

    /** Submits what was given to a view. */
    ViewTask submitView(String key, ViewEntry entry) {
        engine.requireAdmits();
        return admit(
                key,
                "",
                entry,
                Long.MAX_VALUE,
                false,
                (group, id, work, trace) -> new ViewTask(group, id, work, trace, entry));
    }

    /** Submits {@code fork}, for the thread that forks it and by the right of its scope. */
    void submitFork(Fork fork, String key, Callable<?> task) {
        String id = engine.policy.isUnobserved() ? "" : fork.name();
        ForkTask before = fork.task();
        fork.admitted(before, admit(key, id, task, Long.MAX_VALUE, false, fork));
    }

    /** Submits {@code fork} as {@code taken}, which the thread has left that forked it. */
    void submitFork(Fork fork, Taken taken) {
        ForkTask before = fork.task();
        engine.reports.tellSubmitted(taken.key, fork.name());
        Group group = engine.group(taken.key);
        ForkTask node = fork.newNode(group, taken.id, taken.code, taken.trace());
        if (taken.failure != null) {
            failed(node, taken.code, taken.failure);
        } else {
            admitDecorated(node, taken.code, taken.loader, true);
        }
        fork.admitted(before, node);
    }

    private static <T> Task<T> newTask(Group group, String id, Object work, @Nullable TaskTrace trace) {
        return trace == null ? new Task<>(group, id, work) : new TracedTask<>(group, id, work, trace);
    }

    <N extends Task<?>> N admit(
            String key, String id, Callable<?> task, long ownTimeout, boolean async, NodeFactory<N> factory) {
        StackReserve.require();
        TaskTrace trace = engine.reports.submitted(key, id);
        try {
            return admitReported(key, id, task, ownTimeout, async, factory, trace);
        } catch (OutOfMemoryError oom) {
            engine.accounts.others.ended(TaskStatus.FAILED);
            engine.reports.failed(key, id, oom, trace);
            throw oom;
        }
    }

    /** Fails, for want of memory, only if nothing comes of the task. */
    private <N extends Task<?>> N admitReported(
            String key,
            String id,
            Callable<?> task,
            long ownTimeout,
            boolean async,
            NodeFactory<N> factory,
            @Nullable TaskTrace trace) {
        Callable<?> code = engine.reports.around(trace, key, task);
        try {
            code = engine.policy.decorated(key, code);
        } catch (Throwable failure) {
            return failed(factory.newNode(engine.group(key), id, task, trace), task, failure);
        }
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Object work = ownTimeout == Long.MAX_VALUE && !async ? code : new WorkSpec(code, loader, ownTimeout, async);
        N node = factory.newNode(engine.group(key), id, work, trace);
        admitDecorated(node, work, loader, ownTimeout > 0);
        return node;
    }

    private void admitDecorated(Task<?> node, Object work, @Nullable ClassLoader loader, boolean mayWait) {
        while (!(startFast(node, work, loader)
                || (mayWait && node.group.queueBehind(node, loader, Long.MAX_VALUE))
                || admitSlowly(node, loader, mayWait))) {
            nextGroup(node);
        }
    }

    /** Has {@code node}, which nobody else knows, ask the group that is alive; its own is dead. */
    private void nextGroup(Task<?> node) {
        engine.forget(node.group);
        node.group = engine.group(node.group.key);
    }

    /** Starts it, if its group is fast and has permits. */
    private boolean startFast(Task<?> node, Object work, @Nullable ClassLoader loader) {
        Group group = node.group;
        int stopEpoch = group.stopEpoch();
        if (group.tryTakeFast(group.home) == Group.NOT_TAKEN) {
            return false;
        }
        Run run;
        try {
            run = Run.of(node, work, loader, stopEpoch, null, null);
        } catch (OutOfMemoryError oom) {
            engine.returns.giveBackUnused(group, null, SharedGlobal.BOUND, null);
            throw oom;
        }
        node.engageBeforePublication(run);
        engine.dispatcher.startSubmitted(run, null);
        return true;
    }

    /** Decides under the group's guard; false if the group is dead. */
    private boolean admitSlowly(Task<?> node, @Nullable ClassLoader loader, boolean mayWait) {
        Batch batch = new Batch(engine);
        Group.Verdict verdict = node.group.admit(node, loader, mayWait ? Long.MAX_VALUE : 0, batch);
        switch (verdict) {
            case GRANTED -> {
                engine.dispatcher.startSubmitted(node.grantedRun(), batch);
                batch.carryOut();
            }
            case QUEUED -> batch.carryOut();
            case REJECTED -> {
                batch.carryOut(); // before user code, here and below
                Rejection rejection = Objects.requireNonNull(batch.rejection);
                Object work = Objects.requireNonNull(node.end(rejection.reason()));
                node.group.record.rejected(rejection.reason());
                engine.rejections.reject(node, work, rejection, true);
            }
            case SHUT_DOWN -> {
                batch.carryOut();
                Objects.requireNonNull(node.end(RejectionReason.SHUTDOWN));
                node.group.record.ended(TaskStatus.CANCELLED, SafeRecorder.UNTIMED);
                node.reportCancelled();
            }
            case DEAD -> {
                batch.carryOut();
                return false;
            }
        }
        return true;
    }

    private <N extends Task<?>> N failed(N node, Callable<?> task, Throwable failure) {
        if (!node.claim(task)) {
            throw new AssertionError("a task that nobody knows was claimed: " + node);
        }
        Batch batch = Batch.orNull(engine, 0);
        while (!node.group.countOutside(TaskStatus.FAILED, batch)) {
            nextGroup(node);
        }
        Batch.carryOutIfMade(batch);
        node.group.record.ended(TaskStatus.FAILED, SafeRecorder.UNTIMED);
        node.reportAndComplete(Outcome.failed(node, failure));
        return node;
    }

    /** Counts work as rejected that is too late to ask. */
    public void rejectLate(String key, String id) {
        StackReserve.require();
        engine.requireAdmits();
        TaskTrace trace = engine.reports.submitted(key, id);
        RejectionReason late = RejectionReason.QUEUE_TIMEOUT;
        Batch batch = new Batch(engine);
        Group group = engine.group(key);
        while (!group.change(state -> state.counters.rejected(late), batch)) {
            engine.forget(group);
            group = engine.group(key);
        }
        batch.carryOut();
        group.record.rejected(late);
        engine.reports.rejected(key, id, late, trace);
    }

    public <T> List<GroupResult<T>> executeAll(Collection<? extends GroupTask<? extends T>> tasks) {
        List<GroupTask<? extends T>> all = new ArrayList<>(Objects.requireNonNull(tasks, "tasks"));
        all.forEach(task -> Objects.requireNonNull(task, "task"));
        engine.requireAdmits();
        List<Task<T>> handles = new ArrayList<>(all.size());
        try {
            for (GroupTask<? extends T> task : all) {
                // What a shutdown that comes in between doesn't let in is cancelled, counted and told like any other.
                handles.add(admit(task, false, factoryFor(task)));
            }
        } catch (Throwable failure) {
            handles.reversed().forEach(handle -> handle.cancel(true));
            throw failure;
        }
        List<GroupResult<T>> results = new ArrayList<>(all.size());
        boolean interrupted = false;
        for (Task<T> handle : handles) {
            if (!interrupted) {
                try {
                    // Cancelled before what is lent is waited for: the borrower may run for long. The last first: a
                    // permit that one gives back would let the next begin.
                    handle.awaitDone(() -> handles.reversed().forEach(h -> h.cancel(true)));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            results.add(interrupted ? cancelledOf(handle) : resultOf(handle));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return Collections.unmodifiableList(results);
    }

    /** The result of a task whose caller is interrupted; one that is just being completed by another counts as such. */
    private static <T> GroupResult<T> cancelledOf(Task<T> handle) {
        handle.cancel(true);
        return handle.isDone() ? resultOf(handle) : handle.cancelledResult();
    }

    private static <T> GroupResult<T> resultOf(Task<T> handle) {
        try {
            return handle.resultNow();
        } catch (RejectedTaskException rejected) {
            return GroupResult.rejected(handle.groupKey(), handle.taskId(), rejected.reason());
        }
    }
}
