package io.github.kobe.internal.doors;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Removal;
import io.github.kobe.internal.base.StackReserve;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One group as an {@link java.util.concurrent.ExecutorService} with a lifecycle of its own.
 *
 * <p>It keeps each submitted command until its code has ended, or will never run. Once it refuses all work and keeps
 * nothing, it is terminated.
 *
 * <p>While the executor drains, the view is shut down, because it refuses work from outside. But it still accepts work
 * from code that runs under the executor, so it can't be terminated before the drain ends.
 */
final class GroupExecutorService extends AbstractExecutorService {

    final Engine engine;
    final String key;
    /** By number. */
    private final ConcurrentMap<Long, ViewEntry> entries = new ConcurrentHashMap<>();
    /** How many there are: raised before one is added, lowered after it was removed. The map's own size isn't exact. */
    private final AtomicLong kept = new AtomicLong();

    private final AtomicLong submissions = new AtomicLong();
    private volatile boolean shutdown;
    /** Stays true, also while something that comes too late is being refused. */
    private volatile boolean terminated;

    private final ReentrantLock lock = new ReentrantLock();
    /** Signalled when it may have terminated, or has been shut down and something is queued. */
    private final Condition changed = lock.newCondition();
    /** Guarded by the lock: none with a lower number is queued. */
    private long firstToLookAt;

    GroupExecutorService(Engine engine, String key) {
        this.engine = engine;
        this.key = key;
    }

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        ViewEntry entry = new ViewEntry(this, command, submissions.getAndIncrement());
        boolean accepted = false;
        try {
            submit(entry);
            accepted = true;
        } finally {
            if (!accepted) {
                entry.leaveCommand();
            }
        }
    }

    /** Throws only for what nobody else speaks for: not for what ran. */
    private void submit(ViewEntry entry) {
        keep(entry);
        // Looked at after the entry is in: a shutdown either sees it, or is seen here.
        if (refusesAll()) {
            entry.refuse();
            throw shutDown();
        }
        ViewTask task;
        try {
            task = engine.admission.submitView(key, entry);
        } catch (ExecutorShutdownException executorShutDown) {
            if (entry.refuse()) {
                throw new RejectedExecutionException(executorShutDown);
            }
            return;
        } catch (Throwable failure) {
            if (entry.refuse()) {
                throw failure;
            }
            return;
        }
        if (!entry.attach(task)) {
            throw shutDown();
        }
        if (!entry.isDropped()) {
            return;
        }
        // Throws if it was rejected under ABORT.
        if (task.resultNow().status() == TaskStatus.CANCELLED && !engine.admits()) {
            throw new RejectedExecutionException(
                    "The executor was shut down while work was submitted to group '" + KeyText.printable(key) + "'");
        }
        Throwable hindrance = entry.endDropped();
        if (hindrance != null) {
            throw new RejectedExecutionException(
                    "A command that was submitted to group '" + KeyText.printable(key) + "' can't begin", hindrance);
        }
    }

    private RejectedExecutionException shutDown() {
        return new RejectedExecutionException("The executor service of group '" + KeyText.printable(key)
                + "' has been shut down and accepts no new work");
    }

    private void keep(ViewEntry entry) {
        kept.incrementAndGet();
        boolean in = false;
        try {
            entries.put(entry.number, entry);
            in = true;
        } finally {
            if (!in) {
                // A map that finds no memory to grow may have it all the same.
                boolean unused = Removal.from(entries, entry.number, entry);
                keepsOneLess();
            }
        }
    }

    /** An entry is over, or isn't admitted. */
    void forget(ViewEntry entry) {
        if (Removal.from(entries, entry.number, entry)) {
            keepsOneLess();
        }
    }

    private void keepsOneLess() {
        if (kept.decrementAndGet() == 0 && refusesAll()) {
            signal();
        }
    }

    /** An entry is queued only now, though the view is shut down already. */
    void queuedLate(ViewEntry entry) {
        lock.lock();
        try {
            firstToLookAt = Math.min(firstToLookAt, entry.number);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable runnable, T value) {
        return new ViewFuture<>(Executors.callable(runnable, value));
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> callable) {
        return new ViewFuture<>(callable);
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks) throws InterruptedException {
        return allOf(tasks, false, 0);
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException {
        return allOf(tasks, true, Math.max(0, unit.toNanos(timeout)));
    }

    /** Executes all and waits for their ends; what hasn't ended when the time is up is cancelled. */
    private <T> List<Future<T>> allOf(Collection<? extends Callable<T>> tasks, boolean timed, long nanos)
            throws InterruptedException {
        long start = System.nanoTime();
        List<ViewFuture<T>> futures = new ArrayList<>(tasks.size());
        for (Callable<T> task : tasks) {
            futures.add(ViewFuture.ofMany(Objects.requireNonNull(task, "task"), null));
        }
        boolean done = false;
        try {
            for (ViewFuture<T> future : futures) {
                if (timed && System.nanoTime() - start >= nanos) {
                    return new ArrayList<>(futures);
                }
                execute(future);
            }
            for (ViewFuture<T> future : futures) {
                if (!timed) {
                    future.awaitOrElse(() -> cancelAll(futures));
                } else if (!future.awaitFor(nanos - (System.nanoTime() - start))) {
                    return new ArrayList<>(futures);
                }
            }
            done = true;
            return new ArrayList<>(futures);
        } finally {
            if (!done) {
                cancelAll(futures);
            }
        }
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks) throws InterruptedException, ExecutionException {
        try {
            return firstOf(tasks, false, 0);
        } catch (TimeoutException untimed) {
            throw new AssertionError(untimed);
        }
    }

    @Override
    public <T> T invokeAny(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        // Not below zero: what is left of a time-out is a difference, which must not overflow.
        return firstOf(tasks, true, Math.max(0, unit.toNanos(timeout)));
    }

    /**
     * Returns what the first task that succeeds returns, and cancels the others. Not by the superclass: it wraps what it
     * executes, so its cancel would find no task behind the future.
     */
    private <T> T firstOf(Collection<? extends Callable<T>> tasks, boolean timed, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        List<Callable<T>> all = new ArrayList<>(tasks);
        if (all.isEmpty()) {
            throw new IllegalArgumentException("invokeAny wants at least one task, and was given none");
        }
        long start = System.nanoTime();
        BlockingQueue<Future<T>> done = new ArrayBlockingQueue<>(all.size()); // there is room for each, without memory
        List<ViewFuture<T>> futures = new ArrayList<>(all.size());
        try {
            for (Callable<T> task : all) {
                ViewFuture<T> future = ViewFuture.ofMany(Objects.requireNonNull(task, "task"), done);
                futures.add(future);
                execute(future);
            }
            ExecutionException failure = null;
            for (int left = futures.size(); left > 0; left--) {
                Future<T> next = timed
                        ? done.poll(nanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS)
                        : takeLending(done, futures);
                if (next == null) {
                    throw new TimeoutException();
                }
                try {
                    return next.get();
                } catch (ExecutionException e) {
                    failure = e;
                } catch (CancellationException e) {
                    failure = new ExecutionException(e);
                }
            }
            throw Objects.requireNonNull(failure);
        } finally {
            cancelAll(futures);
        }
    }

    /** Cancels the last first: a permit that one gives back would let the next begin. */
    private static void cancelAll(List<? extends Future<?>> futures) {
        futures.reversed().forEach(future -> future.cancel(true));
    }

    /** Waits for the next that is done, and lends to the first that isn't meanwhile. */
    private static <T> Future<T> takeLending(BlockingQueue<Future<T>> done, List<ViewFuture<T>> futures)
            throws InterruptedException {
        Future<T> next = done.poll();
        if (next != null) {
            return next;
        }
        for (ViewFuture<T> future : futures) {
            if (!future.isDone() && future.isQueued()) {
                // Cancelled before what is lent is waited for: the borrower may wait for just that.
                return future.lendingFor(() -> {
                    boolean goOn = false;
                    try {
                        Future<T> first = done.take();
                        goOn = first.state() != Future.State.SUCCESS;
                        return first;
                    } finally {
                        if (!goOn) {
                            cancelAll(futures);
                        }
                    }
                });
            }
        }
        return done.take();
    }

    @Override
    public void shutdown() {
        shutdown = true;
        signal();
    }

    @Override
    public List<Runnable> shutdownNow() {
        StackReserve.require();
        shutdown();
        // Whatever comes later is refused. All is made before anything is withdrawn: only the caller knows of that
        // then.
        ViewEntry[] all = entries.values().toArray(new ViewEntry[0]);
        Arrays.sort(all, Comparator.comparing(entry -> entry.number));
        List<Runnable> withdrawn = new ArrayList<>(all.length);
        for (ViewEntry entry : all) {
            entry.withdrawTo(withdrawn);
        }
        // Only now: what ends by it would let the next in the queue begin.
        for (ViewEntry entry : all) {
            entry.interrupt();
        }
        return withdrawn;
    }

    @Override
    public boolean isShutdown() {
        return shutdown || engine.lifecycle.isShutdown();
    }

    /** {@return whether it takes nothing any more, from whomever} */
    boolean refusesAll() {
        return shutdown || engine.stage.isOver();
    }

    @Override
    public boolean isTerminated() {
        if (!terminated && refusesAll() && kept.get() == 0) {
            terminated = true;
        }
        return terminated;
    }

    /** As the JDK's, but its wait, which has no time-out, lends what the caller has to what is queued. */
    @Override
    public void close() {
        shutdown();
        boolean interrupted = false;
        while (!isTerminated()) {
            try {
                awaitAll();
            } catch (InterruptedException e) {
                interrupted = true;
                shutdownNow();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitAll() throws InterruptedException {
        if (engine.holds.topOpen(Thread.currentThread()) == null) {
            awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS); // it has nothing to lend
            return;
        }
        for (ViewTask queued = awaitQueued(); queued != null; queued = awaitQueued()) {
            // Before what is lent is waited for: the borrower may run for long.
            queued.awaitDone(this::shutdownNow);
        }
    }

    /** Waits until something is queued; {@code null}: all is over. */
    private @Nullable ViewTask awaitQueued() throws InterruptedException {
        lock.lock();
        try {
            for (; ; ) {
                ViewTask queued = firstQueued();
                if (queued != null || isTerminated()) {
                    return queued;
                }
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Looks at each number once, over all calls: what is queued no longer won't be again. */
    private @Nullable ViewTask firstQueued() {
        for (; firstToLookAt < submissions.get(); firstToLookAt++) {
            ViewEntry entry = entries.get(firstToLookAt);
            if (entry != null && entry.isQueued()) {
                return entry.task();
            }
        }
        return null;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        long left = unit.toNanos(timeout);
        Runnable signal = this::signal;
        engine.lifecycle.whenOver(signal);
        lock.lock();
        try {
            while (!isTerminated()) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
            engine.lifecycle.forget(signal);
        }
    }

    void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
