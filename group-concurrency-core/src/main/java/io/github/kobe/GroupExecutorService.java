package io.github.kobe;

import io.github.kobe.Outcome.Dependent;
import io.github.kobe.Outcome.Rejection;
import io.github.kobe.internal.KeyText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One group as an {@link java.util.concurrent.ExecutorService}, with a life of its own.
 *
 * <p>It keeps what was submitted through it until that is over: its code has ended, or it will never run. Once it refuses
 * all work and keeps nothing it is terminated.
 *
 * <p>While the executor drains, the view is shut down, for it refuses work from outside; but what code that runs under the
 * executor submits is still let in, so it can't be terminated before the drain ends.
 */
final class GroupExecutorService extends AbstractExecutorService {

    private final Engine engine;
    private final String key;
    private final Set<Entry> entries = ConcurrentHashMap.newKeySet();
    /** How many there are: raised before one is added, lowered after it was removed. The set's own size isn't exact. */
    private final AtomicLong kept = new AtomicLong();

    private final AtomicLong submissions = new AtomicLong();
    private volatile boolean shutdown;
    /** Stays true, also while something that comes too late is being refused. */
    private volatile boolean terminated;

    private final ReentrantLock lock = new ReentrantLock();
    /** Signalled when it may have terminated. */
    private final Condition changed = lock.newCondition();

    GroupExecutorService(Engine engine, String key) {
        this.engine = engine;
        this.key = key;
    }

    @Override
    public void execute(Runnable command) {
        submit(new Entry(Objects.requireNonNull(command, "command")));
    }

    /** Throws only for what nobody else speaks for: not for what ran. */
    private void submit(Entry entry) {
        keep(entry);
        // Looked at after the entry is in: a shutdown either sees it, or is seen here.
        if (refusesAll()) {
            entry.refuse();
            throw shutDown();
        }
        ViewTask task;
        try {
            task = engine.admission.submitView(key, entry);
        } catch (IllegalStateException executorShutDown) {
            if (entry.refuse()) {
                throw new RejectedExecutionException(executorShutDown);
            }
            return;
        } catch (Throwable lack) {
            if (entry.refuse()) {
                throw lack;
            }
            return;
        }
        if (!entry.attach(task)) {
            throw shutDown();
        }
        // Throws if it was rejected under ABORT.
        if (entry.hasEnded() && task.resultNow().status() == TaskStatus.CANCELLED && engine.lifecycle.isOver()) {
            throw new RejectedExecutionException(
                    "The executor was shut down while work was submitted to group '" + KeyText.printable(key) + "'");
        }
    }

    private RejectedExecutionException shutDown() {
        return new RejectedExecutionException(
                "The executor service of group '" + KeyText.printable(key) + "' is shut down and takes no new work");
    }

    private void keep(Entry entry) {
        kept.incrementAndGet();
        try {
            entries.add(entry);
        } catch (OutOfMemoryError lack) {
            entries.remove(entry);
            kept.decrementAndGet();
            throw lack;
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
        List<Future<T>> futures = new ArrayList<>(tasks.size());
        boolean done = false;
        try {
            List<ViewFuture<T>> toWaitFor = new ArrayList<>(tasks.size());
            for (Callable<T> task : tasks) {
                ViewFuture<T> future = ViewFuture.ofMany(Objects.requireNonNull(task, "task"), null);
                futures.add(future);
                toWaitFor.add(future);
                execute(future);
            }
            for (ViewFuture<T> future : toWaitFor) {
                future.awaitOrElse(() -> cancelAll(futures));
            }
            done = true;
            return futures;
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
        Entry[] all = entries.toArray(new Entry[0]);
        Arrays.sort(all, Comparator.comparingLong(entry -> entry.number));
        List<Runnable> withdrawn = new ArrayList<>(all.length);
        for (Entry entry : all) {
            entry.withdrawTo(withdrawn);
        }
        // Only now: what ends by it would let the next in the queue begin.
        for (Entry entry : all) {
            entry.interrupt();
        }
        return withdrawn;
    }

    @Override
    public boolean isShutdown() {
        return shutdown || engine.lifecycle.isShutdown();
    }

    /** {@return whether it takes nothing any more, from whomever} */
    private boolean refusesAll() {
        return shutdown || engine.lifecycle.isOver();
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

    private @Nullable ViewTask firstQueued() {
        Entry first = null;
        for (Entry entry : entries) {
            if (entry.isQueued() && (first == null || entry.number < first.number)) {
                first = entry;
            }
        }
        return first == null ? null : first.task();
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

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * What was given to {@code execute}, until it is over.
     *
     * <pre>
     *   ADMITTING -> WAITING              the submitter, once its task is admitted
     *   ADMITTING, WAITING -> STARTED     its thread, or the submitter's under CALLER_RUNS
     *   ADMITTING, WAITING -> ENDED       whoever ends its task without its code; the submitter, if it isn't admitted
     *   ADMITTING -> REFUSED              shutdownNow: the submitter throws
     *   WAITING   -> WITHDRAWN            shutdownNow, which returns it, if its task waits for its permits
     * </pre>
     *
     * What has its permits has begun, as far as a shutdown is concerned, though its thread may not have come to its code:
     * it is interrupted. Nobody would complete what others wait for, if it were withdrawn.
     */
    final class Entry implements Callable<@Nullable Void> {

        private static final int ADMITTING = 0;
        private static final int WAITING = 1;
        private static final int STARTED = 2;
        private static final int WITHDRAWN = 3;
        /** Never run: rejected, cancelled, or failed before it began. */
        private static final int ENDED = 4;

        private static final int REFUSED = 5;

        private final Runnable command;
        private final long number = submissions.getAndIncrement();
        private final AtomicInteger state = new AtomicInteger(ADMITTING);
        private volatile @Nullable ViewTask task;
        /** Set before {@link #task} is looked at. */
        private volatile boolean interruptWanted;

        private Entry(Runnable command) {
            this.command = command;
            if (command instanceof ViewFuture<?> future) {
                future.submittedAs(this);
            }
        }

        /**
         * Its task is admitted. Not known before: nobody may claim a task that asks for its permits.
         *
         * @return false if shutdownNow has come before, and nobody runs it
         */
        private boolean attach(ViewTask newTask) {
            task = newTask;
            if (!state.compareAndSet(ADMITTING, WAITING) && state.get() == REFUSED) {
                try {
                    newTask.cancel(false);
                } finally {
                    remove(); // there may be no memory to cancel it; nobody else would remove it
                }
                return false;
            }
            // Whoever looked for it in vain has left a mark.
            if (interruptWanted) {
                newTask.interruptRun();
            }
            if (refusesAll()) {
                signal(); // close waits for what it can lend to
            }
            return true;
        }

        private boolean isQueued() {
            ViewTask target = task;
            return target != null && target.queuedWork() != null;
        }

        @Nullable
        ViewTask task() {
            return task;
        }

        /** Moves on to {@code next}, unless it is settled already. */
        private boolean settle(int next) {
            return state.compareAndSet(ADMITTING, next) || state.compareAndSet(WAITING, next);
        }

        @Override
        public @Nullable Void call() throws Exception {
            if (settle(STARTED)) {
                try {
                    // Its thread may not have been known to who looked for it.
                    interruptIfWanted();
                    runCommand();
                } finally {
                    remove();
                }
            }
            return null;
        }

        private void interruptIfWanted() {
            ViewTask target = task;
            if (interruptWanted && target != null) {
                target.interruptRun();
            }
        }

        private void runCommand() throws Exception {
            if (command instanceof ViewFuture<?> future) {
                future.run();
                future.throwFailure();
                return;
            }
            try {
                command.run();
            } catch (Throwable failure) {
                tellUncaught(failure);
                throw failure;
            }
        }

        /** As the JDK's executors do, which let it end the thread; what the handler throws is ignored there too. */
        private static void tellUncaught(Throwable failure) {
            Thread thread = Thread.currentThread();
            try {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
            } catch (Throwable ignored) {
                // The command's own failure is what the task ends with.
            }
        }

        /** Takes it out again, to be refused; false if it has been run, or has ended otherwise. */
        private boolean refuse() {
            boolean refused = state.compareAndSet(ADMITTING, ENDED) || state.get() == REFUSED;
            remove();
            return refused;
        }

        private boolean hasEnded() {
            return state.get() == ENDED;
        }

        /** Keeps it from starting if it waits for its permits, and adds it to what is returned; there is room for it. */
        private void withdrawTo(List<Runnable> withdrawn) {
            if (state.compareAndSet(ADMITTING, REFUSED) || state.get() != WAITING) {
                return;
            }
            ViewTask target = task;
            if (target != null && target.claimQueued()) {
                state.set(WITHDRAWN); // nobody else moves it on, without the task
                withdrawn.add(command);
                endWithdrawn(target);
            }
        }

        /** Whatever becomes of it, what was withdrawn is returned. */
        private void endWithdrawn(ViewTask claimed) {
            try {
                if (command instanceof ViewFuture<?> future) {
                    future.withdrawn();
                }
                claimed.endClaimed();
            } catch (Throwable failure) {
                Batch.logged(failure);
            } finally {
                remove();
            }
        }

        private void interrupt() {
            interruptWanted = true;
            ViewTask target = task;
            if (target != null) {
                target.interruptRun();
            }
        }

        /** The task is done; if that is without its code, it never runs. */
        void taskDone(@Nullable Throwable failure) {
            if (settle(ENDED)) {
                try {
                    if (failure != null && command instanceof ViewFuture<?> future) {
                        future.setException(failure);
                    } else if (command instanceof Future<?> future) {
                        cancel(future);
                    }
                } finally {
                    remove();
                }
            }
        }

        /** {@return whether a future of the user's own is cancelled if the code never runs} */
        private boolean endsForeignFuture() {
            return command instanceof Future<?> && !(command instanceof ViewFuture<?>);
        }

        /** Cancels a future of the user's own, whose code must not keep the rest from being told. */
        private void cancel(Future<?> future) {
            try {
                future.cancel(false);
            } catch (Throwable failure) {
                engine.reports.untold(key, failure);
            }
        }

        private void remove() {
            if (entries.remove(this)) {
                kept.decrementAndGet();
            }
            if (refusesAll()) {
                signal();
            }
        }
    }

    /** The task of an entry: it tells the view when it is done, and no rejection handler speaks for it. */
    static final class ViewTask extends Task<@Nullable Void> {
        private final Entry entry;
        private final @Nullable TaskTrace trace;

        ViewTask(Group group, String id, Object work, @Nullable TaskTrace trace, Entry entry) {
            super(group, id, work);
            this.entry = entry;
            this.trace = trace;
        }

        @Override
        @Nullable
        TaskTrace trace() {
            return trace;
        }

        @Override
        boolean heedsHandler() {
            return false;
        }

        @Override
        boolean isFollowed() {
            return super.isFollowed() || entry.endsForeignFuture();
        }

        @Override
        @Nullable
        Dependent settle(Object terminal) {
            Dependent dependents = super.settle(terminal);
            Throwable failure;
            try {
                failure = failureOf(terminal);
            } catch (OutOfMemoryError lack) {
                failure = lack;
            }
            entry.taskDone(failure);
            return dependents;
        }

        private @Nullable Throwable failureOf(Object terminal) {
            return switch (terminal) {
                // The only rejection that submit doesn't throw itself.
                case Rejection late
                when late.reason() == RejectionReason.QUEUE_TIMEOUT -> late.toException(groupKey(), taskId());
                case GroupResult<?> result when result.status() == TaskStatus.FAILED -> result.error();
                case Outcome.Brief brief
                when brief == Outcome.Brief.OUT_OF_MEMORY -> resultNow().error();
                default -> null;
            };
        }
    }
}
