package io.github.kobe.scope;

import io.github.kobe.internal.Fork;
import io.github.kobe.internal.KeyText;
import io.github.kobe.internal.ScopeBridge;
import io.github.kobe.internal.ScopeBridge.Alarm;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A task that was forked.
 *
 * <pre>
 *   QUEUED    it was handed to the engine, and waits or is about to start
 *   DELAYED   it waits for its time, or for its next attempt: nobody but an alarm knows of it
 *   RUNNING   its code runs
 *   RETRYING  its code has failed and will be tried again, but what it held isn't back yet
 *   LATE      its code runs, and its own time is up
 *   SUCCESS, FAILED, CANCELLED: decided, for good
 *
 *   QUEUED   -> RUNNING             its thread, before its code
 *   RUNNING  -> RETRYING -> DELAYED its thread, after its code; once its permits are back
 *   QUEUED   -> RETRYING            whoever finds that it never ran, and may be tried again
 *   DELAYED  -> QUEUED              an alarm
 *   RUNNING  -> LATE                its own alarm
 *   RUNNING, LATE -> SUCCESS, FAILED   its thread, after its code
 *   QUEUED   -> FAILED              whoever finds that it never ran
 *   QUEUED, DELAYED, RETRYING -> FAILED   its own alarm
 *   any undecided -> CANCELLED      cancel of it or of its scope
 * </pre>
 *
 * <p>Each edge is one compare-and-set. Decisions are taken under the lock of its scope's {@link Forks}, except those that
 * follow on the scope's cancel: so a scope knows for certain which of its forks ended before it was cancelled.
 *
 * <p>A fork is <i>over</i> once its permits are back and all listeners have heard. The engine says so, except for one that
 * is decided while DELAYED: whoever decides it says so.
 *
 * <p>A million of them may wait: 64 bytes, 48 for the engine's task, and some six for its place in the line of its scope.
 */
final class ForkedSubtask<T> extends Fork implements Subtask<T> {

    static final int QUEUED = 0;
    static final int DELAYED = 1;
    static final int RETRYING = 2;
    static final int RUNNING = 3;
    static final int LATE = 4;
    static final int SUCCESS = 5;
    static final int FAILED = 6;
    static final int CANCELLED = 7;

    private static final int PHASE_BITS = 7;
    private static final int OVER = 8;
    private static final int AWAITED = 16;
    private static final int TELLING = 32;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ForkedSubtask.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final OpenScope<?, ?, ?> scope;
    private final String group;
    private final long id;
    private final long forkedAt;
    private final @Nullable ForkPlan plan;

    /** Links of {@link Forks}, guarded by its lock until the scope is cancelled. */
    @Nullable
    ForkedSubtask<?> older;

    @Nullable
    ForkedSubtask<?> newer;

    /** Written before the decision, read after it. */
    private @Nullable Object result;

    private volatile int state; // QUEUED

    /**
     * Makes one that nobody knows yet.
     *
     * @param forkedAt on the engine's clock
     * @param plan {@code null}: the plain case
     */
    ForkedSubtask(OpenScope<?, ?, ?> scope, String group, long id, long forkedAt, @Nullable ForkPlan plan) {
        this.scope = scope;
        this.group = group;
        this.id = id;
        this.forkedAt = forkedAt;
        this.plan = plan;
        if (plan != null && plan.delayNanos > 0) {
            STATE.set(this, DELAYED);
        }
    }

    // ---- state

    int phaseNumber() {
        return state & PHASE_BITS;
    }

    /** Moves on, unless it isn't in {@code from} any more. */
    boolean move(int from, int to) {
        for (; ; ) {
            int s = state;
            if ((s & PHASE_BITS) != from) {
                return false;
            }
            if (STATE.compareAndSet(this, s, (s & ~PHASE_BITS) | to)) {
                return true;
            }
        }
    }

    /** As {@link #move}, with a result; under the lock of {@link Forks}. */
    boolean end(int from, int to, @Nullable Object withResult) {
        result = withResult;
        if (move(from, to)) {
            return true;
        }
        result = null;
        return false;
    }

    private void mark(int flag) {
        STATE.getAndBitwiseOr(this, flag);
    }

    boolean isOver() {
        return (state & OVER) != 0;
    }

    /** {@return whether it is cancelled, or is about to be with its scope} */
    boolean isCancelled() {
        int phase = phaseNumber();
        return phase == CANCELLED || (phase < SUCCESS && scope.isCancelled());
    }

    boolean isRunOfSchedule() {
        return plan != null && plan.schedule != null;
    }

    void awaited() {
        mark(AWAITED);
    }

    // ---- what the engine asks and tells

    @Override
    public OpenScope<?, ?, ?> scope() {
        return scope;
    }

    @Override
    protected boolean begin() {
        if (scope.isCancelled()) {
            move(QUEUED, CANCELLED);
        }
        if (!move(QUEUED, RUNNING)) {
            return false;
        }
        ForkPlan planned = plan;
        if (planned == null || planned.attempt == 1) {
            scope.forks.begun();
            if (planned != null && planned.name != null) {
                Thread.currentThread()
                        .setName(KeyText.printable(group) + " " + KeyText.printable(scope.name()) + "/"
                                + KeyText.printable(planned.name));
            }
            scope.audience.started(this);
        }
        return true;
    }

    @Override
    protected void ran(@Nullable Object value, @Nullable Throwable failure, long nanos) {
        scope.forks.ran(nanos);
        if (plan != null) {
            plan.ranNanos += nanos;
        }
        Throwable thrown = scope.closeLeftOpen(failure);
        if (thrown != null && phaseNumber() == RUNNING && tryAgain(RUNNING, thrown)) {
            return;
        }
        int phase = phaseNumber();
        if (phase == LATE) {
            decideAndTell(FAILED, outOfTime(thrown), false);
        } else if (phase == RUNNING) {
            decideAndTell(thrown == null ? SUCCESS : FAILED, thrown == null ? value : withEarlier(thrown), false);
        }
    }

    /** {@return whether another attempt follows one that failed so} */
    private boolean tryAgain(int from, Throwable failure) {
        ForkPlan planned = plan;
        if (planned == null || scope.isCancelled() || scope.bridge.isOver() || !planned.allowsAnother(failure)) {
            return false;
        }
        planned.failed(failure);
        return move(from, RETRYING);
    }

    private Throwable withEarlier(Throwable failure) {
        return plan == null ? failure : plan.withEarlier(failure);
    }

    private Throwable outOfTime(@Nullable Throwable thrown) {
        TimeoutException failure =
                new TimeoutException("Fork '" + KeyText.printable(name()) + "' had not ended when its own time was up");
        if (thrown != null && !(thrown instanceof InterruptedException)) {
            failure.addSuppressed(thrown);
        }
        return withEarlier(failure);
    }

    /**
     * Decides how it ends, and if it ends so, tells the joiner.
     *
     * @param elsewhere whether the current thread may be in no fork of the scope
     */
    private void decideAndTell(int end, @Nullable Object endResult, boolean elsewhere) {
        if (scope.forks.decide(this, end, endResult)) {
            tell(elsewhere);
        }
    }

    private void tell(boolean elsewhere) {
        if (isRunOfSchedule()) {
            return;
        }
        mark(TELLING);
        try {
            if (elsewhere) {
                ScopeBridge.tell(this, () -> scope.completed(this));
            } else {
                scope.completed(this);
            }
        } finally {
            STATE.getAndBitwiseAnd(this, ~TELLING);
        }
    }

    @Override
    protected void over(@Nullable Throwable unrun) {
        int phase = phaseNumber();
        if (phase == RETRYING) {
            waitForNext();
            return;
        }
        if (phase < SUCCESS) {
            Throwable why = unrun == null ? new IllegalStateException("It never ran, for no known reason") : unrun;
            if (tryAgain(phase, why)) {
                waitForNext();
                return;
            }
            decideAndTell(FAILED, withEarlier(why), true);
        }
        finish();
    }

    // ---- attempts

    /** Begins the wait before the next attempt, which holds nothing. */
    private void waitForNext() {
        ForkPlan planned = plan();
        long delay = planned.retry.delayNanos(planned.attempt++);
        if (!move(RETRYING, DELAYED)) {
            finish(); // decided meanwhile
        } else if (delay <= 0) {
            due();
        } else {
            startAfter(delay);
        }
    }

    /** Has it submitted after a delay; it is DELAYED, and its scope knows it. */
    void startAfter(long delayNanos) {
        Alarm alarm = scope.alarm(delayNanos, this::due);
        if (alarm == null) {
            failUnsubmitted(new OutOfMemoryError("There is no thread for timers"));
            return;
        }
        plan().startsAt(alarm);
        if (phaseNumber() >= SUCCESS) {
            alarm.cancel();
        }
    }

    /** It could not be submitted, so no engine says that it is over. */
    private void failUnsubmitted(Throwable failure) {
        if (phaseNumber() == DELAYED && !move(DELAYED, RETRYING)) {
            return; // who has decided it says so
        }
        decideAndTell(FAILED, withEarlier(failure), true);
        finish();
    }

    private void due() {
        if (plan().attempt == 1) {
            armTimeout();
        }
        if (move(DELAYED, QUEUED)) {
            submitTakenOrFail();
        }
    }

    /** As {@link #submitTaken}, for no thread that could be told of a lack of memory. */
    void submitTakenOrFail() {
        try {
            submitTaken();
        } catch (Throwable failure) {
            failUnsubmitted(failure);
        }
    }

    /** Submits what was taken of the thread that forked it. */
    void submitTaken() {
        scope.bridge.submitTaken(this, Objects.requireNonNull(plan().taken));
        catchUp();
    }

    /** Submits it for the current thread, which forks it. */
    void submit(Callable<?> task) {
        scope.bridge.submit(this, group, task);
        catchUp();
    }

    /** Who decided it while it was being submitted may not have found it. */
    private void catchUp() {
        switch (phaseNumber()) {
            case CANCELLED, FAILED -> {
                if (!isOver()) {
                    leaveOrStop();
                }
            }
            case LATE -> interrupt();
            default -> {}
        }
    }

    /** Its own time begins. */
    void armTimeout() {
        ForkPlan planned = plan;
        if (planned == null || planned.timeoutNanos == Long.MAX_VALUE) {
            return;
        }
        Alarm alarm = scope.alarm(planned.timeoutNanos, this::timeOut);
        if (alarm != null) {
            planned.endsAt(alarm);
            if (phaseNumber() >= SUCCESS) {
                alarm.cancel();
            }
        }
    }

    private void timeOut() {
        int from = scope.forks.timeOut(this, outOfTime(null));
        if (from == RUNNING) {
            interrupt();
        } else if (from >= 0) {
            tell(true);
            follow(from);
        }
    }

    // ---- cancelling

    @Override
    public boolean cancel() {
        scope.requireWithin();
        ScopeBridge.requireStack();
        return cancelRun();
    }

    /** Cancels it alone, unless it is decided; by any thread. */
    boolean cancelRun() {
        int from = scope.forks.cancel(this);
        if (from < 0) {
            return false;
        }
        if (from >= RUNNING) {
            scope.cancelOpenedIn(this);
        }
        follow(from);
        return true;
    }

    /** It was decided from outside, in phase {@code from}: sees to it that it ends. */
    private void follow(int from) {
        switch (from) {
            case DELAYED -> finish();
            case RETRYING -> {} // who has its permits sees it
            default -> leaveOrStop();
        }
    }

    private void leaveOrStop() {
        Object left = leaveQueue();
        if (left != null) {
            ScopeBridge.tellLeft(left);
        } else {
            stop();
        }
    }

    /**
     * Its scope is cancelled: if it waits, it does so no longer.
     *
     * @return what is left to be told, by {@link #tellLeft}; {@code null}: nothing
     */
    @Nullable
    Object leave() {
        if (move(DELAYED, CANCELLED)) {
            return this;
        }
        if (move(QUEUED, CANCELLED)) {
            return leaveQueue();
        }
        move(RETRYING, CANCELLED);
        return null;
    }

    /** Tells of what has left. */
    static void tellLeft(Object left) {
        if (left instanceof ForkedSubtask<?> fork) {
            fork.finish();
        } else {
            ScopeBridge.tellLeft(left);
        }
    }

    /** Its scope is cancelled: if it has permits, its code is not begun, or interrupted. */
    void leaveGroup() {
        if (move(RUNNING, CANCELLED) || move(LATE, CANCELLED) || (phaseNumber() == CANCELLED && !isOver())) {
            stop();
        }
    }

    /** It is cancelled before anyone but its joiner knows it. */
    void neverBegins() {
        STATE.setVolatile(this, CANCELLED | OVER);
        tellListeners();
    }

    // ---- the end

    /** All is over. */
    private void finish() {
        try {
            if (plan != null) {
                plan.cancelAlarms();
            }
            tellListeners();
        } finally {
            mark(OVER);
            endTaken();
            scope.finished(this);
            if (plan != null && plan.schedule != null) {
                plan.schedule.ranOnce(this);
            }
        }
    }

    /** Lets go of what was taken of the thread that forked it; before that is done, that thread may come too. */
    void endTaken() {
        if (plan != null && plan.taken != null && plan.schedule == null) {
            ScopeBridge.endTaken(plan.taken);
        }
    }

    private void tellListeners() {
        int phase = phaseNumber();
        if (phase == CANCELLED) {
            scope.forks.countCancelled();
        }
        if (plan != null) {
            scope.audience.ended(this, phase, result, Duration.ofNanos(plan.ranNanos));
        }
    }

    private ForkPlan plan() {
        if (plan == null) {
            throw new AssertionError("a plain fork was to be submitted later: " + this);
        }
        return plan;
    }

    // ---- what it shows

    @Override
    public State state() {
        return switch (phaseNumber()) {
            case SUCCESS -> State.SUCCESS;
            case FAILED -> State.FAILED;
            default -> State.UNAVAILABLE;
        };
    }

    @Override
    public Phase phase() {
        int phase = phaseNumber();
        if (phase < SUCCESS && scope.isCancelled()) {
            return Phase.CANCELLED; // or is about to be
        }
        return switch (phase) {
            case QUEUED -> Phase.QUEUED;
            case DELAYED, RETRYING -> Phase.DELAYED;
            case RUNNING, LATE -> Phase.RUNNING;
            case SUCCESS -> Phase.SUCCESS;
            case FAILED -> Phase.FAILED;
            default -> Phase.CANCELLED;
        };
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // null, if the task returned that
    public T get() {
        requireReadable();
        if (phaseNumber() != SUCCESS) {
            throw new IllegalStateException("It has no value: " + this);
        }
        return (T) result;
    }

    @Override
    public Throwable exception() {
        requireReadable();
        Throwable failure = failureOrNull();
        if (failure == null) {
            throw new IllegalStateException("It has not failed: " + this);
        }
        return failure;
    }

    private void requireReadable() {
        if ((state & (AWAITED | TELLING)) == 0 && !scope.isJoined()) {
            throw new IllegalStateException("The owner of " + scope + " has neither joined it nor awaited " + this);
        }
    }

    /** {@return its value or null; once it is over} */
    @Nullable
    Object valueOrNull() {
        return phaseNumber() == SUCCESS ? result : null;
    }

    /** {@return its failure or null} */
    @Nullable
    Throwable failureOrNull() {
        return phaseNumber() == FAILED && result instanceof Throwable failure ? failure : null;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String name() {
        return plan == null || plan.name == null ? "task-" + id : plan.name;
    }

    @Override
    public String group() {
        return group;
    }

    ForkInfo info() {
        return new ForkInfo(scope.id(), scope.name(), id, name(), group, scope.instantOf(forkedAt));
    }

    /** {@return the name of the thread that runs it; {@code null}: none does} */
    @Nullable
    String threadName() {
        int phase = phaseNumber();
        Thread thread = phase == RUNNING || phase == LATE || isCancelled() ? thread() : null;
        return thread == null ? null : thread.getName();
    }

    @Override
    public String toString() {
        return "Subtask[" + KeyText.printable(name()) + " in " + KeyText.printable(group) + ", " + phase() + "]";
    }
}
