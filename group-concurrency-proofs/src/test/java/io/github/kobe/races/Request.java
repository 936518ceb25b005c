package io.github.kobe.races;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One request for a permit of a group, and what became of it: each race is about who is told what. */
public abstract class Request {

    /** How a permit is asked for. */
    public enum Ask {
        SUBMIT,
        CALL,
        ACQUIRE,
        ACQUIRE_ASYNC;

        public boolean blocks() {
            return this == CALL || this == ACQUIRE;
        }
    }

    /** How a request ends. */
    public enum Fate {
        DONE,
        CANCELLED,
        TIMED_OUT,
        SHUT_DOWN
    }

    private static final String NO_PERMIT = "no permit";

    private final GroupExecutor executor;
    private final String key;
    private final String id;
    private final Ask ask;
    private final Duration ownTime;
    private final AtomicInteger cancels = new AtomicInteger();
    private volatile @Nullable Thread asker;
    private volatile @Nullable TaskHandle<String> handle;
    private volatile @Nullable CompletableFuture<GroupPermit> future;
    /** A result or an exception. */
    private volatile @Nullable Object end;

    protected Request(GroupExecutor executor, String key, String id, Ask ask, Duration ownTime) {
        this.executor = executor;
        this.key = key;
        this.id = id;
        this.ask = ask;
        this.ownTime = ownTime;
    }

    /** The code inside the group. */
    protected abstract String run();

    /** A permit was granted, to be closed at some time. */
    protected abstract void hold(GroupPermit permit);

    /** Asks. */
    public void make() throws Exception {
        asker = Thread.currentThread();
        try {
            switch (ask) {
                case SUBMIT -> follow(executor.submit(new GroupTask<>(key, id, this::run).withQueueTimeout(ownTime)));
                case CALL -> end(executor.call(key, id, ownTime, this::run));
                case ACQUIRE -> {
                    GroupPermit permit = ownTime.equals(GroupLimits.NO_TIMEOUT)
                            ? executor.acquire(key)
                            : executor.tryAcquire(key, ownTime).orElse(null);
                    if (permit == null) {
                        end(NO_PERMIT);
                    } else {
                        hold(permit);
                    }
                }
                case ACQUIRE_ASYNC -> {
                    CompletableFuture<GroupPermit> asked =
                            executor.acquireAsync(key).toCompletableFuture();
                    future = asked;
                    var unused = asked.whenComplete((permit, error) -> {
                        if (error == null) {
                            hold(permit);
                        } else {
                            end(error);
                        }
                    });
                }
            }
        } catch (RejectedTaskException | IllegalStateException | InterruptedException refused) {
            end(refused);
        }
    }

    /** It is this task. */
    public void follow(TaskHandle<String> task) {
        handle = task;
        var unused = task.toCompletableFuture().whenComplete((result, error) -> end(error == null ? result : error));
    }

    /** {@return whether it was cancelled by this; the caller who waits is interrupted instead} */
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (ask.blocks()) {
            asker.interrupt();
            return false;
        }
        TaskHandle<String> task = handle;
        boolean cancelled = task == null ? future.cancel(false) : task.cancel(mayInterruptIfRunning);
        if (cancelled) {
            cancels.incrementAndGet();
        }
        return cancelled;
    }

    /** {@return how often a cancel said that it was the one} */
    public int cancels() {
        return cancels.get();
    }

    public GroupExecutor executor() {
        return executor;
    }

    public Ask ask() {
        return ask;
    }

    public @Nullable TaskHandle<String> handle() {
        return handle;
    }

    /** It ended like this; an {@code AssertionError} stays. */
    protected void end(Object how) {
        if (!(end instanceof AssertionError)) {
            end = how instanceof CompletionException error && error.getCause() != null ? error.getCause() : how;
        }
    }

    public @Nullable Object end() {
        return end;
    }

    /** {@return whether it wasn't let in, since the executor was shut down} */
    public boolean isRefused() {
        return end instanceof IllegalStateException;
    }

    /** {@return how it ended; null: it hasn't, or in a way that nothing here explains} */
    public @Nullable Fate fate() {
        return switch (end) {
            case GroupResult<?> result when result.status() == TaskStatus.SUCCESS -> Fate.DONE;
            case GroupResult<?> result when result.status() == TaskStatus.CANCELLED -> Fate.CANCELLED;
            case InterruptedException interrupted -> Fate.CANCELLED;
            case CancellationException cancelled -> Fate.CANCELLED;
            case ExecutorShutdownException shutDown -> Fate.SHUT_DOWN;
            case RejectedTaskException rejected ->
                switch (rejected.reason()) {
                    case SHUTDOWN -> Fate.SHUT_DOWN;
                    case QUEUE_TIMEOUT -> Fate.TIMED_OUT;
                    default -> null;
                };
            case String text -> text.equals(NO_PERMIT) ? Fate.TIMED_OUT : Fate.DONE;
            case null, default -> null;
        };
    }

    @Override
    public String toString() {
        return id + " by " + ask + ", cancelled " + cancels + " times, ended by " + end;
    }
}
