package io.github.kobe.rollout.internal.drive;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a drive's tasks, and what wakes the drive's own thread: the end of a task, and a call from outside.
 */
final class TaskThreads {

    private static final Logger LOG = LoggerFactory.getLogger(TaskThreads.class);

    private final GroupExecutor executor;
    private final String group;

    /** Makes what a task's thread does; it gives the task, if that could not begin yet. */
    private final Function<TaskId, Callable<Optional<TaskRecord>>> work;

    /** Told of a failure that concerns the whole drive. */
    private final Consumer<RuntimeException> whenLost;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wake = lock.newCondition();

    /** What follows is guarded by the lock. */
    private final Map<TaskId, Thread> running = new LinkedHashMap<>();

    /** Those of them that have their permit. */
    private final Set<TaskId> inside = new HashSet<>();

    /** Whether nobody is let in any more. */
    private boolean closed;

    /** Those of which something was wanted after they came to rest, and before their threads ended. */
    private final Set<TaskId> again = new HashSet<>();

    /** Those that were not let in, or have to begin again. */
    private final Set<TaskId> postponed = new LinkedHashSet<>();

    /** Those that could not begin yet, since their plan starts nothing, or their tenant is another's. */
    private final Map<TaskId, WaitingTask> deferred = new LinkedHashMap<>();

    /** Whether one could not begin since the drive has looked. */
    private boolean deferredAnew;

    private boolean nudged;
    private boolean stirred;

    TaskThreads(
            GroupExecutor executor,
            String group,
            Function<TaskId, Callable<Optional<TaskRecord>>> work,
            Consumer<RuntimeException> whenLost) {
        this.executor = executor;
        this.group = group;
        this.work = work;
        this.whenLost = whenLost;
    }

    /**
     * {@return whether there was room for the task} There is none until the drive has looked at one that could not begin: that
     * one may come first. If the task has a thread already, it is postponed until that ends.
     */
    boolean start(TaskId id, int limit) {
        lock.lock();
        try {
            if (deferredAnew) {
                return false;
            }
            if (running.containsKey(id)) {
                again.add(id);
                return true;
            }
            if (running.size() >= limit) {
                return false;
            }
            Thread thread = Thread.ofVirtual().name(id.value()).unstarted(() -> run(id));
            running.put(id, thread);
            thread.start();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void run(TaskId id) {
        boolean later = false;
        Optional<TaskRecord> notYet = Optional.empty();
        try {
            notYet = executor.call(group, id.value(), () -> {
                enter(id);
                return work.apply(id).call();
            });
        } catch (RejectedTaskException e) {
            LOG.debug("Task {} is not let in, and tries again later: {}", id, e.getMessage());
            later = true;
        } catch (InterruptedException e) {
            LOG.debug("Task {} was interrupted before it began", id);
            later = true;
        } catch (StoreRefusedException e) {
            LOG.error("Task {} can neither go on nor fail, and tries again later: {}", id, e.getMessage());
            later = true;
        } catch (RuntimeException e) {
            whenLost.accept(e);
        } catch (Throwable e) {
            whenLost.accept(new IllegalStateException(e));
        } finally {
            end(id, later, notYet);
        }
    }

    private void enter(TaskId id) throws InterruptedException {
        lock.lock();
        try {
            if (closed) {
                throw new InterruptedException("its drive ends");
            }
            inside.add(id);
        } finally {
            lock.unlock();
        }
    }

    private void end(TaskId id, boolean later, Optional<TaskRecord> notYet) {
        lock.lock();
        try {
            running.remove(id);
            inside.remove(id);
            boolean isWanted = again.remove(id);
            nudged |= isWanted;
            deferredAnew |= notYet.isPresent();
            if (later || isWanted) {
                postponed.add(id);
            }
            notYet.ifPresent(task -> deferred.put(id, WaitingTask.of(task)));
            stirred = true;
            wake.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Somebody has left work. */
    void nudge() {
        wake(true);
    }

    /** The drive is to see whether all is over. */
    void stir() {
        wake(false);
    }

    private void wake(boolean forWork) {
        lock.lock();
        try {
            nudged |= forWork;
            stirred = true;
            wake.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether somebody has left work, or one could not begin, since this was last asked} */
    boolean takeNudge() {
        lock.lock();
        try {
            boolean taken = nudged || deferredAnew;
            nudged = false;
            deferredAnew = false;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** {@return those that were postponed, which are forgotten here} */
    List<TaskId> takePostponed() {
        lock.lock();
        try {
            List<TaskId> taken = new ArrayList<>(postponed);
            postponed.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    List<WaitingTask> deferred() {
        lock.lock();
        try {
            return List.copyOf(deferred.values());
        } finally {
            lock.unlock();
        }
    }

    /** These could begin but for their tenants. */
    void defer(List<WaitingTask> tasks) {
        lock.lock();
        try {
            tasks.forEach(task -> deferred.put(task.id(), task));
        } finally {
            lock.unlock();
        }
    }

    /** All tasks are looked at anew. */
    void forgetDeferred() {
        lock.lock();
        try {
            deferred.clear();
        } finally {
            lock.unlock();
        }
    }

    /** The task may begin now. */
    void admit(TaskId id) {
        lock.lock();
        try {
            deferred.remove(id);
        } finally {
            lock.unlock();
        }
    }

    List<TaskId> running() {
        lock.lock();
        try {
            return List.copyOf(running.keySet());
        } finally {
            lock.unlock();
        }
    }

    boolean isQuiet() {
        lock.lock();
        try {
            return running.isEmpty() && postponed.isEmpty() && !nudged && !deferredAnew;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something to see to, so long at most. */
    void await(long most) {
        lock.lock();
        try {
            long nanos = most;
            while (!stirred && nanos > 0) {
                nanos = wake.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            LOG.debug("{} looks early", group);
        } finally {
            stirred = false;
            lock.unlock();
        }
    }

    /** Lets nobody in any more, and ends the wait of those who have no permit. */
    void close() {
        lock.lock();
        try {
            closed = true;
            running.forEach((id, thread) -> {
                if (!inside.contains(id)) {
                    thread.interrupt();
                }
            });
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts all that run. */
    void interrupt(Consumer<Thread> interruption) {
        lock.lock();
        try {
            running.values().forEach(interruption);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the end of all; no interrupt ends the wait. */
    void awaitEnd() {
        lock.lock();
        try {
            while (!running.isEmpty()) {
                wake.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }
}
