package io.github.kobe.audit;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.doors.EngineAccess;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** What a test forks, and waits for while it offers them what its thread has: the least that a scope does. */
public final class Forks implements Lineage {

    private final GroupExecutor executor;
    private final @Nullable Lineage parent;
    private final Thread owner = Thread.currentThread();
    private final List<TaskHandle<?>> forks = new CopyOnWriteArrayList<>();

    public Forks(GroupExecutor executor, @Nullable Lineage parent) {
        this.executor = executor;
        this.parent = parent;
    }

    @Override
    public @Nullable Lineage parent() {
        return parent;
    }

    @Override
    public Thread owner() {
        return owner;
    }

    /** Forks a task, on any thread. */
    public <T> TaskHandle<T> fork(String group, String id, Callable<T> task) {
        TaskHandle<T> handle = EngineAccess.fork(executor, new GroupTask<>(group, id, task), this);
        forks.add(handle);
        return handle;
    }

    /** Waits until all have ended, those too that are forked meanwhile. */
    public void join() throws InterruptedException {
        Object offer = offer();
        try {
            for (int i = 0; i < forks.size(); i++) {
                EngineAccess.sleepUntilDone(forks.get(i));
            }
        } finally {
            withdraw(offer);
        }
    }

    /** Offers what the thread has; null if it has nothing. */
    public @Nullable Object offer() {
        return EngineAccess.offer(executor, this);
    }

    public void withdraw(@Nullable Object offer) {
        if (offer != null) {
            EngineAccess.withdraw(offer);
        }
    }
}
