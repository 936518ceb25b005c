package io.github.kobe.schedules;

import java.util.ArrayDeque;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** A condition whose waits end by the simulation's clock. */
@SuppressWarnings("WaitNotInLoop") // it is the wait; the loop is its caller's
final class SimulatedCondition implements Condition {

    private final ReentrantLock lock;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    SimulatedCondition(ReentrantLock lock) {
        this.lock = lock;
    }

    private static final class Waiting {
        private final Thread thread = Thread.currentThread();
        private boolean signalled;
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long end = Simulation.nanoTime() + Math.min(nanos, 2 * Simulation.HORIZON);
        Waiting me = new Waiting();
        boolean interrupted = await(me, end, true);
        boolean first = waiting.remove(me);
        if (interrupted && first) {
            throw new InterruptedException();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return nanos == Long.MAX_VALUE ? nanos : end - Simulation.nanoTime();
    }

    @Override
    public void awaitUninterruptibly() {
        Waiting me = new Waiting();
        boolean interrupted = await(me, Simulation.nanoTime() + 2 * Simulation.HORIZON, false);
        waiting.remove(me);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits without the lock until {@code me} is signalled, or for as long.
     *
     * @return whether the thread was interrupted, which ends the wait if it is interruptible
     */
    private boolean await(Waiting me, long end, boolean interruptible) {
        waiting.add(me);
        int holds = lock.getHoldCount();
        for (int i = 0; i < holds; i++) {
            lock.unlock();
        }
        boolean interrupted = false;
        while (!me.signalled && !(interrupted && interruptible) && end - Simulation.nanoTime() > 0) {
            Simulation.parkNanos(end - Simulation.nanoTime());
            interrupted |= Thread.interrupted();
        }
        for (int i = 0; i < holds; i++) {
            lock.lock();
        }
        return interrupted;
    }

    @Override
    public void signalAll() {
        while (!waiting.isEmpty()) {
            signal();
        }
    }

    @Override
    public void signal() {
        Waiting first = waiting.poll();
        if (first != null) {
            first.signalled = true;
            LockSupport.unpark(first.thread);
        }
    }

    @Override
    public void await() throws InterruptedException {
        awaitNanos(Long.MAX_VALUE);
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return awaitNanos(unit.toNanos(time)) > 0;
    }

    @Override
    public boolean awaitUntil(Date deadline) {
        throw new UnsupportedOperationException();
    }
}
