package io.github.kobe.scope;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Decides how the forks of one scope end, and whether that came before the scope was cancelled. Used by any thread,
 * without a lock.
 *
 * <p>Everything is in one word: why the scope is cancelled, if it is; whether that cut off a fork; how many of the
 * forks that its joiner knows are undecided, and whether there was any; and how many ends the joiner has yet to be told
 * of, or is just being told of.
 *
 * <pre>
 *   a fork is added        undecided + 1                unless the scope is cancelled
 *   one that was cancelled while NEW is added   undecided + 1, then - 1
 *   it ends by itself      undecided - 1, untold + 1    unless the scope is cancelled
 *   its joiner was told    untold - 1
 *   it is cancelled alone  undecided - 1
 *   the scope is cancelled the cause, and cut if undecided isn't 0, or there was none    once
 * </pre>
 *
 * <p>The thread that lets a fork end by itself has made it DECIDING before, so that no other thread does. So each end
 * comes before the cancel or is cut off, and after the cancel the untold number only falls. The word is right at any
 * time, but for the instant in which a fork that was cancelled while NEW is counted.
 */
final class Forks {

    private static final long UNDECIDED = 1;
    private static final int COUNT_BITS = 29;
    private static final long COUNT = (1L << COUNT_BITS) - 1;
    private static final long UNTOLD = 1L << COUNT_BITS;
    private static final long ANY = 1L << (2 * COUNT_BITS);
    private static final long CUT = ANY << 1;
    private static final int CAUSE_SHIFT = 2 * COUNT_BITS + 2;

    private static final int OVER_SHIFT = 32;
    private static final long OVER = 1L << OVER_SHIFT;
    private static final long MOST = OVER - 1;

    /** So many are gone over in no time. */
    private static final int FEW = 64;

    private static final VarHandle WORD;
    private static final VarHandle UNFINISHED;
    private static final VarHandle RUNS;
    private static final VarHandle LAST_ID;
    private static final VarHandle ALL_RUNS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORD = lookup.findVarHandle(Forks.class, "word", long.class);
            UNFINISHED = lookup.findVarHandle(Forks.class, "unfinished", long.class);
            RUNS = lookup.findVarHandle(Forks.class, "runs", long.class);
            LAST_ID = lookup.findVarHandle(Forks.class, "lastId", long.class);
            ALL_RUNS = lookup.findVarHandle(Forks.class, "allRuns", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final Tally tally = new Tally();
    final ForkStack stack = new ForkStack(this);

    private volatile long word;

    /** How many that its joiner knows aren't over; from {@link #OVER} up: how many in the stack are. */
    private volatile long unfinished;

    /** How many runs of schedules, which the joiner doesn't know, aren't over. */
    private volatile long runs;

    /** Whether something was forked since the owner last waited. */
    private volatile boolean unjoined;

    /** One that the joiner knows and won't be told of, though the scope goes on: it was cancelled alone. */
    private volatile @Nullable ForkedSubtask<?> lost;

    private volatile long lastId;
    /** How many of these were runs of schedules. */
    private volatile long allRuns;

    long nextId() {
        return (long) LAST_ID.getAndAdd(this, 1L) + 1;
    }

    /** {@return how many were forked} */
    long forked() {
        return lastId - allRuns;
    }

    // ---- adding

    /** Adds one that the joiner knows; false if it or the scope was cancelled before. */
    boolean add(ForkedSubtask<?> fork) {
        long before;
        do {
            before = word;
            if (isCancelled(before)) {
                WORD.getAndBitwiseOr(this, CUT | ANY);
                return false;
            }
        } while (!WORD.compareAndSet(this, before, (before + UNDECIDED) | ANY));
        if (!unjoined) {
            unjoined = true;
        }
        if (!fork.becomeKnown()) {
            lose(fork);
            WORD.getAndAdd(this, -UNDECIDED);
            return false;
        }
        UNFINISHED.getAndAdd(this, 1L);
        stack.push(fork);
        return true;
    }

    /**
     * Adds a run of a schedule.
     *
     * @return false if the scope was cancelled before; {@link #finished} has to follow all the same, for who closes the scope
     *     may have seen it
     */
    boolean addRun(ForkedSubtask<?> run) {
        ALL_RUNS.getAndAdd(this, 1L);
        RUNS.getAndAdd(this, 1L);
        if (isCancelled()) {
            return false;
        }
        stack.push(run);
        return true;
    }

    /**
     * Takes back an {@link #add}: there was no memory to submit it.
     *
     * @param known whether an alarm was to submit it, and so whoever has decided it says that it is over
     * @return how many of its kind are left
     */
    long drop(ForkedSubtask<?> fork, boolean known) {
        if (fork.move(ForkState.DELAYED, ForkState.CANCELLED)
                || fork.move(ForkState.QUEUED, ForkState.CANCELLED)
                || (!known && fork.move(ForkState.OVERDUE, ForkState.CANCELLED))) {
            lose(fork);
            WORD.getAndAdd(this, -UNDECIDED);
        } else if (known) {
            return unfinished();
        }
        fork.markOver();
        return finished(fork);
    }

    // ---- deciding

    /**
     * Decides how a fork ends, unless that is decided; if the scope was cancelled before, it is cancelled.
     *
     * @param end {@link ForkState#SUCCESS} or {@link ForkState#FAILED}
     * @param result its value or its failure
     * @return whether it ends so
     */
    boolean decide(ForkedSubtask<?> fork, int end, @Nullable Object result) {
        if (fork.moveOn(ForkState.DECIDING) < 0) {
            return false;
        }
        boolean ends = fork.isRunOfSchedule() ? !isCancelled() : tryEnd();
        if (ends) {
            fork.settle(end, result);
            tally.ended(end);
        } else {
            fork.settle(ForkState.CANCELLED, null);
        }
        return ends;
    }

    private boolean tryEnd() {
        long before;
        do {
            before = word;
            if (isCancelled(before)) {
                return false;
            }
        } while (!WORD.compareAndSet(this, before, before - UNDECIDED + UNTOLD));
        return true;
    }

    /**
     * Cancels one fork, unless it is decided or the scope is cancelled, which does that.
     *
     * @return in which phase it was; -1: it wasn't cancelled here
     */
    int cancel(ForkedSubtask<?> fork) {
        int from = isCancelled() ? -1 : fork.moveOn(ForkState.CANCELLED);
        if (from > ForkState.NEW && !fork.isRunOfSchedule()) { // a NEW one isn't counted
            lose(fork); // before whoever finds all decided asks
            WORD.getAndAdd(this, -UNDECIDED);
        }
        return from;
    }

    /**
     * The time of one fork is up: it will fail, once its code has ended, or who has it sees that.
     *
     * @return in which phase it was; -1: it is decided, or its scope cancelled
     */
    int timeOut(ForkedSubtask<?> fork) {
        for (int from = fork.phaseNumber(); from < ForkState.LATE && !isCancelled(); from = fork.phaseNumber()) {
            if (fork.move(from, from == ForkState.RUNNING ? ForkState.LATE : ForkState.OVERDUE)) {
                return from;
            }
        }
        return -1;
    }

    /** The joiner won't be told of one that it knows. */
    void lose(ForkedSubtask<?> fork) {
        if (lost == null) {
            lost = fork;
        }
    }

    /** {@return one that was cancelled, though the scope went on; {@code null}: none was} */
    @Nullable
    ForkedSubtask<?> lost() {
        return lost;
    }

    /** {@return whether there is one that the joiner knows and won't be told of} Once all are over, or it is cancelled. */
    boolean isAnyLost() {
        return lost != null || (word & (CUT | ANY)) == (CUT | ANY);
    }

    /** Cancels the scope; false if that was done before. */
    boolean cancelAll(Cause why) {
        long before;
        long after;
        do {
            before = word;
            if (isCancelled(before)) {
                return false;
            }
            after = before | why.number() << CAUSE_SHIFT;
            if ((before & COUNT) > 0
                    || (before & ANY) == 0) { // the time-out of a scope without forks is one, as the JDK has it
                after |= CUT;
            }
        } while (!WORD.compareAndSet(this, before, after));
        if (why == Cause.TIMED_OUT) {
            tally.timeWasUp();
        }
        return true;
    }

    // ---- what follows

    /**
     * The joiner has heard of one.
     *
     * @return whether that was the last of a cancelled scope
     */
    boolean told() {
        long after = (long) WORD.getAndAdd(this, -UNTOLD) - UNTOLD;
        return isCancelled(after) && isTold(after);
    }

    /** {@return how many of its kind are left} It is marked as over before. */
    long finished(ForkedSubtask<?> fork) {
        if (fork.isRunOfSchedule()) {
            UNFINISHED.getAndAdd(this, OVER);
            return (long) RUNS.getAndAdd(this, -1L) - 1;
        }
        return ((long) UNFINISHED.getAndAdd(this, OVER - 1) - 1) & MOST;
    }

    /** {@return whether so many in the stack are over that it is worth a sweep} */
    boolean isMuchOver() {
        long now = unfinished;
        long live = (now & MOST) + runs;
        return now >>> OVER_SHIFT > (live > FEW ? live : live / 2);
    }

    /** So many that are over have left the stack. */
    void unlinked(long number) {
        UNFINISHED.getAndAdd(this, -number * OVER);
    }

    // ---- what it shows

    private static boolean isCancelled(long word) {
        return word >>> CAUSE_SHIFT != 0;
    }

    private static boolean isTold(long word) {
        return (word >>> COUNT_BITS & COUNT) == 0;
    }

    /** {@return why the scope is cancelled; {@code null}: it isn't} */
    @Nullable
    Cause cause() {
        return Cause.numbered(word >>> CAUSE_SHIFT);
    }

    boolean isCancelled() {
        return isCancelled(word);
    }

    /** {@return whether a fork that its joiner knows was cancelled with the scope, for {@code why}} */
    boolean isCutBy(Cause why) {
        long now = word;
        return now >>> CAUSE_SHIFT == why.number() && (now & CUT) != 0;
    }

    /** {@return whether all are over; or it is cancelled, and the joiner has heard of all that ended before that} */
    boolean isReady() {
        long now = word;
        return isCancelled(now) ? isTold(now) : unfinished() == 0;
    }

    /** {@return whether it is cancelled, and the joiner has heard of all that ended before that: for good} */
    boolean isCancelledAndTold() {
        long now = word;
        return isCancelled(now) && isTold(now);
    }

    /** {@return whether nothing runs, waits or is told} */
    boolean isQuiet() {
        return unfinished() == 0 && runs == 0;
    }

    /** {@return how many that its joiner knows aren't over} */
    long unfinished() {
        return unfinished & MOST;
    }

    boolean isUnjoined() {
        return unjoined;
    }

    void joined() {
        unjoined = false;
    }
}
