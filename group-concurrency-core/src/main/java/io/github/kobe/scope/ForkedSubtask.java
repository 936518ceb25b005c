package io.github.kobe.scope;

import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.doors.ScopeBridge;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A forked task: what the engine asks it and reports to it, what its scope does to it, and what users see of it.
 *
 * <p>A fork is <i>over</i> once its permits are back and all listeners have been told. The engine declares it over,
 * except for a fork that ends while DELAYED: then the thread that ends it does. What only some forks need, such as
 * several attempts and times, is in its {@link ForkPlan}.
 *
 * <p>A million of them may wait, so a fork takes only 48 bytes, as many for the engine's task, and some six for its place in
 * the line of its scope. When a plain one was forked, the engine knows.
 */
@SuppressWarnings("ReferenceEquality") // forks have identity
final class ForkedSubtask<T> extends ForkState implements Subtask<T> {

    private final OpenScope<?, ?, ?> scope;
    private final String group;
    private final long id;
    private final @Nullable ForkPlan plan;

    /**
     * Makes one that nobody knows yet.
     *
     * @param plan {@code null}: the plain case
     */
    ForkedSubtask(OpenScope<?, ?, ?> scope, String group, long id, @Nullable ForkPlan plan) {
        super(plan != null && plan.schedule != null ? QUEUED : NEW);
        this.scope = scope;
        this.group = group;
        this.id = id;
        this.plan = plan;
    }

    /** {@return whether its code is to end: it is cancelled, is about to be with its scope, or its own time is up} */
    boolean isToEnd() {
        boolean withScope = scope.isCancelled(); // before the phase: what is undecided then is cut off
        int phase = phaseNumber();
        return phase == CANCELLED || phase == LATE || (withScope && phase < SUCCESS);
    }

    @Override
    public boolean isRunOfSchedule() {
        return plan != null && plan.schedule != null;
    }

    /** It is counted; false if it was cancelled before, by whom its joiner has given it to. */
    boolean becomeKnown() {
        return move(NEW, first());
    }

    private int first() {
        return plan != null && plan.delayNanos > 0 ? DELAYED : QUEUED;
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
        if (plan == null || plan.begin(this)) {
            scope.forks.tally.started();
            scope.audience.started(this);
        }
        return true;
    }

    @Override
    protected void ran(@Nullable Object value, @Nullable Throwable failure, long nanos, boolean stopped) {
        scope.forks.tally.ran(nanos);
        if (plan != null) {
            plan.ranNanos += nanos;
        }
        Throwable thrown = scope.children.isEmpty() ? failure : Closing.closeLeftOpen(failure);
        boolean again = thrown != null && !stopped && phaseNumber() == RUNNING && tryAgain(RUNNING, thrown);
        int phase = phaseNumber();
        if (phase == LATE || phase == OVERDUE) {
            decideAndTell(FAILED, plan().outOfTime(this, phase == LATE ? thrown : null), false);
        } else if (phase == RUNNING && !again) {
            decideAndTell(thrown == null ? SUCCESS : FAILED, thrown == null ? value : withEarlier(thrown), false);
        }
    }

    /** {@return whether another attempt follows one that failed so} */
    private boolean tryAgain(int from, Throwable failure) {
        return plan != null && plan.tryAgain(this, from, failure);
    }

    private Throwable withEarlier(Throwable failure) {
        return plan == null ? failure : plan.withEarlier(failure);
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
        if (elsewhere) {
            ScopeBridge.beginTelling(this);
        }
        try { // without need of memory up to here: a join may wait for it
            scope.completed(this);
        } finally {
            if (elsewhere) {
                ScopeBridge.endTelling(this);
            }
        }
    }

    @Override
    protected boolean isDecided() {
        int phase = phaseNumber();
        return phase == OVERDUE || phase == LATE || phase >= DECIDING;
    }

    @Override
    protected void over(@Nullable Throwable unrun) {
        boolean again = false;
        boolean ran = false;
        try {
            int phase = phaseNumber();
            ran = phase == RETRYING;
            again = ran || (phase < DECIDING && !endUnrun(phase, unrun));
        } catch (Throwable thrown) {
            decideAndTell(FAILED, thrown, true); // each fork has an end, whatever fails
            throw thrown;
        } finally {
            if (again) {
                plan().waitForNext(this, ran);
            } else {
                finish();
            }
        }
    }

    /** {@return false if another attempt follows} */
    private boolean endUnrun(int phase, @Nullable Throwable unrun) {
        if (phase == OVERDUE || phase == LATE) { // LATE: there was no memory for its failure in ran
            decideAndTell(FAILED, plan().outOfTime(this, null), true);
            return true;
        }
        Throwable why = unrun == null ? new IllegalStateException("It never ran, for an unknown reason") : unrun;
        if (tryAgain(phase, why)) {
            return false;
        }
        decideAndTell(FAILED, withEarlier(why), true);
        return true;
    }

    // ---- submission

    /** Has it submitted, now or later, for the current thread, which forks it. */
    void start(Callable<?> task) {
        if (plan == null) {
            submit(task);
        } else {
            plan.start(this, task);
        }
    }

    /** Submits it for the current thread, which forks it. */
    void submit(Callable<?> task) {
        scope.bridge.submit(this, group, task);
        catchUp();
    }

    /** Submits what was taken of the thread that forked it. */
    void submitTaken() {
        scope.bridge.submitTaken(this, Objects.requireNonNull(plan().taken));
        catchUp();
    }

    /** As {@link #submitTaken}, for no thread that could be told of a lack of memory. */
    void submitTakenOrFail() {
        try {
            submitTaken();
        } catch (Throwable failure) {
            failUnsubmitted(failure);
        }
    }

    /** It could not be submitted, so no engine says that it is over. Doesn't fail: who forks it would drop it once more. */
    void failUnsubmitted(Throwable failure) {
        try {
            decideAndTell(FAILED, withEarlier(failure), true);
        } catch (Throwable thrown) {
            decideAndTell(FAILED, thrown, true);
            ScopeBridge.logged(thrown);
        } finally {
            finish();
        }
    }

    /** Who cancelled it or its scope, or whose alarm came, while it was being submitted or set to wait, may not have found it. */
    void catchUp() {
        try {
            lookAgain();
        } catch (Throwable failure) {
            ScopeBridge.logged(failure); // others have it: it doesn't fail for want of a submission
        }
    }

    private void lookAgain() {
        if (isOver()) {
            letGo();
        }
        int from = scope.isCancelled() ? moveOn(CANCELLED) : -1;
        if (from >= 0) {
            follow(from);
            return;
        }
        switch (phaseNumber()) {
            case CANCELLED -> {
                if (!isOver()) {
                    leaveOrStop();
                }
            }
            case OVERDUE -> leaveIfQueued();
            case LATE -> interrupt();
            default -> {}
        }
    }

    /** Its own time is up. */
    void timeOut() {
        switch (scope.forks.timeOut(this)) {
            case QUEUED -> leaveIfQueued();
            case DELAYED -> over(null); // nobody else has it
            case RUNNING -> {
                try {
                    scope.cancelOpenedIn(this);
                } finally {
                    interrupt();
                }
            }
            default -> {} // who has its permits sees it, or it has ended
        }
    }

    /** If it has its permits, its thread finds that its time is up before its code. */
    private void leaveIfQueued() {
        Object left = leaveQueue();
        if (left != null) {
            ScopeBridge.tellLeft(left);
        }
    }

    // ---- cancelling

    @Override
    public boolean cancel() {
        ScopeBridge.requireStack();
        return cancelRun();
    }

    /** Cancels it alone, unless it is decided; by any thread. */
    boolean cancelRun() {
        int from = scope.forks.cancel(this);
        if (from < 0) {
            return false;
        }
        try {
            if (from >= RUNNING) {
                scope.cancelOpenedIn(this);
            }
        } finally {
            follow(from);
        }
        return true;
    }

    /** It was cancelled in phase {@code from}: sees to it that it ends. */
    private void follow(int from) {
        switch (from) {
            case NEW, RETRYING -> {} // who forks it, or has its permits, sees it
            case DELAYED -> finish();
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
     * @param left takes what is left to be told to others, by {@link Cancellation#tellAll}
     */
    void leave(List<Object> left) {
        if (move(QUEUED, CANCELLED)) {
            Object task = leaveQueue();
            if (task != null && plan == null && scope.bridge.isHeardByNobody(task)) {
                Cancellation.tell(task);
            } else if (task != null) {
                Cancellation.tellLater(task, left);
            }
        } else if (move(DELAYED, CANCELLED)) {
            Cancellation.tellLater(this, left);
        } else {
            move(RETRYING, CANCELLED);
        }
    }

    /** Its scope is cancelled: if it has permits, its code is not begun, or interrupted. */
    void leaveGroup() {
        boolean cut = move(RUNNING, CANCELLED) || move(LATE, CANCELLED) || move(OVERDUE, CANCELLED);
        if (cut || (phaseNumber() == CANCELLED && !isOver())) {
            stop();
        }
    }

    /** It is cancelled before it was counted. */
    void neverBegins() {
        cancelUnknown();
        tellListeners();
    }

    // ---- the end

    /** All is over. It goes on when there is no memory to tell listeners. */
    void finish() {
        try {
            if (plan != null) {
                plan.cancelAlarms(scope.bridge);
            }
            tellListeners();
        } catch (Throwable failure) {
            ScopeBridge.logged(failure);
        } finally {
            markOver();
            letGo();
            try {
                if (plan != null) {
                    plan.over(this);
                }
            } finally {
                scope.finished(this); // last, since its owner may go on then
            }
        }
    }

    private void tellListeners() {
        int phase = phaseNumber();
        if (phase == CANCELLED) {
            scope.forks.tally.cancelled();
        }
        if (plan != null) {
            scope.audience.ended(this, phase, result(), Duration.ofNanos(plan.ranNanos));
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
        boolean cancelled = scope.isCancelled(); // before the phase: what is undecided then is cut off
        boolean told = cancelled && scope.forks.isCancelledAndTold(); // and what is being decided then, too
        int phase = phaseNumber();
        if (cancelled && (phase < DECIDING || (told && phase == DECIDING))) {
            return Phase.CANCELLED; // or is about to be
        }
        return switch (phase == NEW ? first() : phase) {
            case QUEUED, OVERDUE -> Phase.QUEUED;
            case DELAYED, RETRYING -> Phase.DELAYED;
            case RUNNING, LATE, DECIDING -> Phase.RUNNING;
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
            throw new IllegalStateException(this + " has no value", failureOrNull());
        }
        return (T) result();
    }

    @Override
    public Throwable exception() {
        requireReadable();
        Throwable failure = failureOrNull();
        if (failure == null) {
            throw new IllegalStateException(this + " has not failed");
        }
        return failure;
    }

    private void requireReadable() {
        if (!isAwaited() && !scope.isJoined() && !isToldHere()) {
            throw new IllegalStateException(this + " can't be read yet: the owner of " + scope
                    + " has neither joined the scope nor awaited this subtask");
        }
    }

    /** {@return whether the current thread tells of its end} Others, such as the owner, must not know by chance. */
    private boolean isToldHere() {
        Thread thread = Thread.currentThread();
        return phaseNumber() >= SUCCESS && (ScopeTree.forkOf(thread) == this || ScopeBridge.toldBy(thread) == this);
    }

    /** {@return its value or null; once it is over} */
    @Nullable
    Object valueOrNull() {
        return phaseNumber() == SUCCESS ? result() : null;
    }

    /** {@return its failure or null} */
    @Nullable
    Throwable failureOrNull() {
        return phaseNumber() == FAILED && result() instanceof Throwable failure ? failure : null;
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
        long forkedAt = plan == null ? submittedAt(scope.bridge.now()) : plan.forkedAt;
        return new ForkInfo(scope.id(), scope.name(), id, name(), group, scope.instantOf(forkedAt));
    }

    /** {@return the name of the thread that runs it; {@code null}: none does} */
    @Nullable
    String threadName() {
        int phase = phaseNumber();
        Thread thread = phase == RUNNING || isToEnd() ? thread() : null;
        return thread == null ? null : thread.getName();
    }

    @Override
    public String toString() {
        return "Subtask[" + KeyText.printable(name()) + " in " + KeyText.printable(group) + ", " + phase() + "]";
    }
}
