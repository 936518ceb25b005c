package io.github.kobe.races;

import io.github.kobe.testing.Deadline;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Two threads that make one move each at the same time, round after round: the test's own, and a second one that is kept
 * over the rounds. A third may be sent ahead, to wait for something.
 *
 * <p>One of the two starts a little later, by a random time around a mean that follows who won before: so the two orders
 * come about equally often, on any machine. Who waits for another spins a few turns, yields a few, then parks.
 */
@SuppressWarnings("ThreadPriorityCheck") // a yield shortens a wait, nothing relies on it
final class Arena implements AutoCloseable {

    /** Of so many rounds each side wins some, unless something is wrong. */
    private static final int TELLING_ROUNDS = 1_200;

    private static final int SPINS = 50;
    private static final int YIELDS = 20;
    private static final long NAP_NANOS = 200_000;
    private static final long JITTER_NANOS = 2_000;
    private static final long LEAST_STEP_NANOS = 50;
    private static final long LONGEST_STEP_NANOS = 50_000;
    private static final long LONGEST_SPIN_NANOS = 10_000;
    private static final long LONGEST_DELAY_NANOS = 2_000_000;

    private final Random random = new Random(42);
    private final Fighter first = new Fighter("first");
    private final Fighter ahead = new Fighter("ahead");
    /** By how much the first is to start later than the second; negative: earlier. */
    private long lag;

    private long step = LEAST_STEP_NANOS;
    private int firstWon;
    private int secondWon;
    private int inARow;

    /** One thing that a thread does in a round. */
    @FunctionalInterface
    interface Move {
        void make() throws Exception;
    }

    /** Makes both moves at the same time, the second one here; returns when that is made. {@link #join} waits for both. */
    void release(Move firsts, Move seconds) throws Exception {
        long offset = lag + random.nextLong(-JITTER_NANOS, JITTER_NANOS + 1);
        first.makeOnGo(firsts, offset);
        first.awaitReady();
        first.go = true;
        LockSupport.unpark(first.thread);
        delay(-offset);
        seconds.make();
    }

    /** Has the third thread make a move. */
    void sendAhead(Move move) {
        ahead.begin(move);
    }

    /** The thread that is sent ahead. */
    Thread ahead() {
        return ahead.thread;
    }

    /** Waits until all moves are made; throws what one of them threw. */
    void join() throws Exception {
        first.join();
        ahead.join();
    }

    /** Notes who won, and has that one start a little later from now on; the more often in a row, the more. */
    void won(boolean byFirst) {
        if (byFirst) {
            firstWon++;
            inARow = Math.max(1, inARow + 1);
        } else {
            secondWon++;
            inARow = Math.min(-1, inARow - 1);
        }
        step = Math.abs(inARow) > 4 ? Math.min(2 * step, LONGEST_STEP_NANOS) : LEAST_STEP_NANOS;
        lag = Math.clamp(lag + (byFirst ? step : -step), -LONGEST_DELAY_NANOS, LONGEST_DELAY_NANOS);
    }

    /** Fails unless each side has won; of few rounds a busy machine may give all to one side, so that says nothing. */
    String score(String firstsName, String secondsName) {
        String score = firstsName + " " + firstWon + ", " + secondsName + " " + secondWon;
        if (firstWon + secondWon >= TELLING_ROUNDS && (firstWon == 0 || secondWon == 0)) {
            throw new AssertionError("this was no race: " + score);
        }
        return score;
    }

    @Override
    public void close() {
        first.end();
        ahead.end();
    }

    private static void delay(long nanos) {
        long start = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
            if (left > LONGEST_SPIN_NANOS) {
                LockSupport.parkNanos(left); // lets the other one run, where cores are few
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /** Waits for what another thread is about to bring about; fails if it doesn't in time. */
    static void await(String what, BooleanSupplier condition) {
        for (int i = 0; i < SPINS + YIELDS; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > Deadline.LONG.toNanos()) {
                throw new AssertionError("not in time: " + what);
            }
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    private static final class Fighter implements Runnable {

        private final Thread thread;
        private volatile Move move;
        private volatile boolean ready;
        private volatile boolean go;
        private volatile boolean ended;
        private volatile Throwable failure;

        private Fighter(String name) {
            thread = new Thread(this, "arena-" + name);
            thread.setDaemon(true);
            thread.start();
        }

        private void begin(Move next) {
            move = next;
            LockSupport.unpark(thread);
        }

        private void makeOnGo(Move next, long delay) {
            ready = false;
            go = false;
            Thread other = Thread.currentThread();
            begin(() -> {
                ready = true;
                LockSupport.unpark(other);
                await("the go", () -> go);
                delay(delay);
                next.make();
            });
        }

        private void awaitReady() {
            await("both ready", () -> ready);
        }

        private void join() throws Exception {
            try {
                await("the end of a move", () -> move == null);
            } catch (AssertionError late) {
                late.setStackTrace(thread.getStackTrace());
                throw late;
            }
            Throwable thrown = failure;
            if (thrown != null) {
                throw new AssertionError("a move failed: " + thrown, thrown);
            }
        }

        private void end() {
            ended = true;
            thread.interrupt();
            LockSupport.unpark(thread);
        }

        @Override
        public void run() {
            while (!ended) {
                Move next = move;
                if (next == null) {
                    pause();
                    continue;
                }
                try {
                    next.make();
                } catch (Throwable thrown) {
                    failure = thrown;
                }
                Thread.interrupted();
                move = null;
            }
        }

        private void pause() {
            for (int i = 0; i < SPINS + YIELDS; i++) {
                if (move != null) {
                    return;
                }
                if (i < SPINS) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
            if (move == null && !ended) {
                LockSupport.park(this);
            }
        }
    }
}
