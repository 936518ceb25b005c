package io.github.kobe.scope;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.doors.ScopeBridge;
import io.github.kobe.internal.doors.ScopeBridge.Alarm;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A scope, from its opening on.
 *
 * <h2>States</h2>
 *
 * <pre>
 *   OPEN -> JOINING   the owner begins to join; it forks no more
 *        -> JOINED    join has given its outcome, once
 *        -> CLOSED    close, or close of an outer scope, has waited for all
 *
 *   cancelled, beside these, once, for the first {@link Cause}: by a thread of its subtree, its token, its joiner, its
 *   alarm, the owner's interrupt, close; with an outer scope, for the same cause
 * </pre>
 *
 * <p>This class is what users see, and checks who may do what. Its parts do the work: {@link Forking} adds forks,
 * {@link Forks} decides, the owner waits and gets the outcome in {@link Joining}, {@link Cancellation} cancels everything
 * inside it, and {@link Closing} ends it. No user code runs under a lock.
 */
@SuppressWarnings("ReferenceEquality") // scopes, forks and threads have identity
final class OpenScope<T, R, X extends Throwable> implements GroupScope<T, R, X>, Lineage {

    private static final AtomicLong LAST_ID = new AtomicLong();

    final ScopeBridge bridge;
    final Thread owner = Thread.currentThread();
    final Audience audience;
    final Forks forks = new Forks();
    final OwnerWait ownerWait;

    private final ScopeName name;
    private final GivenSettings settings;
    private final Joining<T, R, X> joining;
    final TimeLimit time;
    /** The scope that its owner had open when it opened this one, else that of the {@link #ownerFork}. */
    private final @Nullable OpenScope<?, ?, ?> parent;
    /** The fork that its owner runs. */
    final @Nullable ForkedSubtask<?> ownerFork;

    private final Instant openedAt = Instant.now();
    private final long openedNanos;

    /** By who is about to cancel it; the last of those that try. */
    private volatile @Nullable CutOff cutOff;

    /** Scopes that were opened right inside it; by anyone. */
    final SeldomSet<OpenScope<?, ?, ?>> children = new SeldomSet<>();

    final SeldomSet<ForkSchedule> schedules = new SeldomSet<>();
    final Closing closing = new Closing(this);
    final Forking forking;

    // ---- opening

    private OpenScope(
            ScopeBridge bridge,
            GivenSettings settings,
            ScopeName name,
            Joiner<T, R, X> joiner,
            @Nullable OpenScope<?, ?, ?> outer,
            @Nullable ForkedSubtask<?> ownerFork) {
        this.bridge = bridge;
        this.settings = settings;
        this.name = name;
        this.joining = new Joining<>(this, joiner);
        this.forking = new Forking(this, settings, joining);
        this.ownerFork = ownerFork;
        this.parent = outer != null ? outer : ownerFork == null ? null : ownerFork.scope();
        this.audience = new Audience(bridge, settings.listeners());
        this.openedNanos = bridge.now();
        this.time = new TimeLimit(this, openedNanos, settings.limit(), parent == null ? null : parent.time);
        this.ownerWait = new OwnerWait(this, settings.mostForks());
    }

    @SuppressWarnings("unchecked") // a joiner is given forks and asked for results, which have the narrower types
    static <T, R, X extends Throwable> OpenScope<T, R, X> open(
            ScopeBridge bridge, GivenSettings settings, Joiner<? super T, ? extends R, X> joiner) {
        ScopeBridge.requireStack();
        Thread thread = Thread.currentThread();
        OpenScope<?, ?, ?> outer = ScopeTree.innermostInUse(thread);
        ForkedSubtask<?> ownerFork = ScopeTree.forkOf(thread);
        boolean inside = outer != null || ownerFork != null;
        if (!bridge.admits() && (!inside || bridge.isOver())) {
            throw new ExecutorShutdownException();
        }
        ScopeName name = new ScopeName(LAST_ID.incrementAndGet(), settings.givenName());
        OneScopeJoiner.take(joiner, name);
        OpenScope<T, R, X> scope = new OpenScope<>(bridge, settings, name, (Joiner<T, R, X>) joiner, outer, ownerFork);
        scope.begin();
        return scope;
    }

    private void begin() {
        ScopeTree.opened(this);
        Cause outerCause =
                parent == null ? null : parent.forks.cause(); // either this sees it, or who cancels sees this
        if (outerCause != null) {
            cancel(outerCause);
        } else if (ownerIsToEnd()) {
            cancel(Cause.ASKED); // as cancelOpenedIn does, which may not have found it
        } else if (time.deadline() <= openedNanos) {
            time.whose().cancel(Cause.TIMED_OUT); // as its alarm does, which comes late
        } else {
            time.arm();
        }
        audience.opened(this);
    }

    /** Sets an alarm, for in so many nanoseconds; false if that can't be. */
    boolean set(Alarm alarm, long nanos) {
        return bridge.at(TimeLimit.after(bridge.now(), nanos), alarm);
    }

    /** By its alarm. */
    void timeIsUp() {
        if (!isClosed()) {
            forks.tally.timeWasUp(); // also if it is cancelled already
        }
        cancel(Cause.TIMED_OUT);
        if (owner.isAlive()) {
            time.watchOwner();
        } else {
            abandon();
        }
    }

    /** {@return false if it is closed, or its owner has ended: then it has no more to live for} By an alarm. */
    boolean goesOn() {
        if (owner.isAlive()) {
            return !isClosed();
        }
        cancel(Cause.ABANDONED);
        abandon();
        return false;
    }

    /** Its owner has ended and left it open, with those inside it: nobody will close them. */
    private void abandon() {
        OpenScope<?, ?, ?> left;
        do {
            left = ScopeTree.innermost(owner);
            if (left != null) {
                ScopeTree.closed(left);
            }
        } while (left != null && left != this);
    }

    /**
     * {@return whether its time is up, and nothing of it is left that runs or is waited for} Its owner has probably
     * forgotten to close it, and shall not have each later scope end with it.
     */
    boolean isSpent() {
        Cause cause = forks.cause();
        boolean timeIsUp = cause == Cause.TIMED_OUT || (cause != null && time.deadline() <= bridge.now());
        return timeIsUp && forks.isQuiet() && ownerWait.doing() == ScopeSnapshot.Owner.RUNNING;
    }

    // ---- who may

    private void requireOwner() {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException(
                    named(Thread.currentThread()) + " isn't the owner of " + this + ", which is " + named(owner));
        }
    }

    /** Checks that the current thread is the owner, or one of the subtree. */
    void requireWithin() {
        Thread thread = Thread.currentThread();
        if (thread != owner && !ScopeTree.isWithin(thread, this)) {
            throw new WrongThreadException(named(thread) + " is neither the owner of " + this + ", which is "
                    + named(owner) + ", nor does it run one of its forks");
        }
    }

    /** {@return a thread by its name and number} Virtual threads often have no name. */
    static String named(Thread thread) {
        return "thread '" + KeyText.printable(thread.getName()) + "' (#" + thread.threadId() + ")";
    }

    boolean isClosed() {
        return closing.isDone();
    }

    private void requireNotClosed() {
        if (isClosed()) {
            throw closedException();
        }
    }

    /** As {@link #requireNotClosed}; one that an outer scope's close has closed is cancelled for its owner, not closed. */
    private void requireNotClosedByOwner() {
        if (closing.isDoneByOwner()) {
            throw closedException();
        }
    }

    private IllegalStateException closedException() {
        return new IllegalStateException(this + " is closed");
    }

    // ---- forks

    @Override
    public <U extends T> Subtask<U> fork(Callable<? extends U> task) {
        Objects.requireNonNull(task, "task");
        return forking.fork(ownGroup("fork", "fork(group, task)"), task, null);
    }

    @Override
    public <U extends T> Subtask<U> fork(Runnable task) {
        return fork(OpenScope.<U>valueless(task));
    }

    @Override
    public <U extends T> Subtask<U> fork(String group, Callable<? extends U> task) {
        Objects.requireNonNull(group, "group");
        return forking.fork(group, Objects.requireNonNull(task, "task"), null);
    }

    @Override
    public <U extends T> Subtask<U> fork(String group, Runnable task) {
        return fork(group, OpenScope.<U>valueless(task));
    }

    @Override
    public <U extends T> Subtask<U> fork(ForkOptions options, Callable<? extends U> task) {
        Objects.requireNonNull(options, "options");
        return forking.fork(groupOf(options), Objects.requireNonNull(task, "task"), options);
    }

    @Override
    public <U extends T> Subtask<U> fork(ForkOptions options, Runnable task) {
        return fork(options, OpenScope.<U>valueless(task));
    }

    private String groupOf(ForkOptions options) {
        String group = options.group();
        return group == null ? ownGroup("fork", "fork(ForkOptions.in(group), task)") : group;
    }

    /**
     * {@return the group that it was opened with}
     *
     * @param what names no group
     * @param instead by which call it can name one
     */
    private String ownGroup(String what, String instead) {
        String group = settings.givenGroup();
        if (group == null) {
            throw new IllegalStateException("The " + what + " names no group, and neither does " + this + ": use "
                    + instead + ", or open it withGroup");
        }
        return group;
    }

    /** {@return the task as one whose value is null, whatever the type of values} */
    @SuppressWarnings({"unchecked", "NullAway"}) // null is of every type
    private static <U> Callable<U> valueless(Runnable task) {
        return (Callable<U>) Executors.callable(Objects.requireNonNull(task, "task"));
    }

    /** Checks that the current thread, which may be the owner or one of the subtree, may fork now. */
    void requireForkable(boolean byOwner) {
        requireNotClosedByOwner();
        if (byOwner ? joining.hasBegun() : joining.isDrawn() && !isCancelled()) {
            throw new IllegalStateException(this + " accepts no more forks from this thread, since join was called");
        }
    }

    /** A fork has ended before its scope was cancelled; on its thread, if it has one, before its permits are back. */
    void completed(ForkedSubtask<?> fork) {
        boolean ends = joining.completed(fork);
        if (forks.told()) { // before the cancel, which may take long
            ownerWait.wake();
        }
        if (ends) {
            cancel(Cause.JOINER);
        }
    }

    /** Permits of a fork are back, and its listeners have heard. */
    void finished(ForkedSubtask<?> fork) {
        ownerWait.over(fork, forks.finished(fork));
        forks.stack.sweepIfMuchIsOver();
    }

    // ---- waits of the owner

    /**
     * Parks until it is woken; where no alarm could be set, until its time is up, and then ends it.
     *
     * @param lent whether what the owner holds may be lent
     */
    void park(boolean lent) {
        if (!time.park()) {
            cancelByOwner(Cause.TIMED_OUT, lent);
        }
    }

    // ---- join

    @Override
    public R join() throws X, InterruptedException {
        beginJoin();
        return joining.join();
    }

    @Override
    public R joinUntil(Instant until) throws X, InterruptedException {
        Objects.requireNonNull(until, "deadline");
        beginJoin();
        joining.limit(until);
        return joining.join();
    }

    private void beginJoin() {
        ScopeBridge.requireStack();
        requireOwner();
        requireNotClosedByOwner();
        joining.begin();
    }

    boolean isJoined() {
        return joining.isDrawn();
    }

    /** {@return whether something was forked that its owner hasn't waited for} */
    boolean isUnjoined() {
        return joining.isIncomplete();
    }

    // ---- await

    @Override
    public Outcome await(Subtask<?>... some) throws X, InterruptedException {
        return await(Arrays.asList(some));
    }

    @Override
    public Outcome await(Collection<? extends Subtask<?>> some) throws X, InterruptedException {
        return awaitOver(some).outcome();
    }

    @Override
    public <U> List<@Nullable U> valuesOf(Collection<? extends Subtask<? extends U>> some)
            throws X, InterruptedException {
        return awaitOver(some).values();
    }

    private Awaited awaitOver(Collection<? extends Subtask<?>> some) throws X, InterruptedException {
        ScopeBridge.requireStack();
        Awaited awaited = new Awaited(this, some);
        requireOwner();
        requireNotClosed();
        if (!awaited.isEmpty()) {
            joining.await(awaited);
        }
        return awaited;
    }

    // ---- cancel

    @Override
    public void cancel() {
        requireWithin();
        cancel(Cause.ASKED);
    }

    @Override
    public boolean isCancelled() {
        return forks.isCancelled();
    }

    /** Cancels it and all that is inside it; by any thread. */
    void cancel(Cause why) {
        Cancellation.tellAll(Cancellation.of(this, why));
    }

    /**
     * As {@link #cancel}, by its owner amid a wait.
     *
     * @param lent whether what it holds may be lent: then it must run no user code, which would be one too many
     */
    void cancelByOwner(Cause why, boolean lent) {
        List<Object> left = Cancellation.of(this, why);
        if (!lent) {
            Cancellation.tellAll(left);
        } else if (!left.isEmpty()) {
            try {
                bridge.runSoon(() -> Cancellation.tellAll(left));
            } catch (OutOfMemoryError oom) {
                Cancellation.tellAll(left); // one too many, rather than never
            }
        }
    }

    /** It is about to be cancelled, with {@code outermost} and all inside that; asked for why, this has it in words. */
    void noteCutOff(OpenScope<?, ?, ?> outermost, Cause why) {
        CutOff noted = CutOff.of(this, outermost, why);
        if (noted != null && !isCancelled()) {
            cutOff = noted;
        }
    }

    /** {@return why there are forks that its joiner isn't told of; {@code null}: there are none, or nobody knows} */
    @Nullable
    String whyCutOff() {
        CutOff noted = cutOff;
        Cause cause = forks.cause();
        if (cause != null) {
            return noted != null && noted.cause() == cause ? noted.text() : null;
        }
        ForkedSubtask<?> lost = forks.lost();
        return lost == null ? null : lost + " of " + this + " was cancelled alone";
    }

    /** {@return whether the fork that its owner runs is to end} */
    boolean ownerIsToEnd() {
        return ownerFork != null && ownerFork.isToEnd();
    }

    /** Cancels the scopes that one fork has opened, which was cancelled alone, or whose own time is up. */
    void cancelOpenedIn(ForkedSubtask<?> fork) {
        children.forEach(inner -> {
            if (inner.ownerFork == fork) {
                inner.cancel(Cause.ASKED);
            }
        });
    }

    @Override
    public CancellationToken token() {
        return new ScopeToken(this);
    }

    // ---- schedules

    @Override
    public ScheduledFork schedule(String group, Duration delay, Callable<?> task) {
        return ForkSchedule.begin(this, group, delay, null, false, task);
    }

    @Override
    public ScheduledFork schedule(String group, Duration delay, Runnable task) {
        return schedule(group, delay, valueless(task));
    }

    @Override
    public ScheduledFork schedule(Duration delay, Callable<?> task) {
        return schedule(scheduledGroup(), delay, task);
    }

    @Override
    public ScheduledFork schedule(Duration delay, Runnable task) {
        return schedule(scheduledGroup(), delay, task);
    }

    @Override
    public ScheduledFork scheduleAtFixedRate(String group, Duration initial, Duration period, Runnable task) {
        Range.positive(period, "period");
        return ForkSchedule.begin(this, group, initial, period, true, valueless(task));
    }

    @Override
    public ScheduledFork scheduleAtFixedRate(Duration initial, Duration period, Runnable task) {
        return scheduleAtFixedRate(scheduledGroup(), initial, period, task);
    }

    @Override
    public ScheduledFork scheduleWithFixedDelay(String group, Duration initial, Duration delay, Runnable task) {
        Range.positive(delay, "delay");
        return ForkSchedule.begin(this, group, initial, delay, false, valueless(task));
    }

    @Override
    public ScheduledFork scheduleWithFixedDelay(Duration initial, Duration delay, Runnable task) {
        return scheduleWithFixedDelay(scheduledGroup(), initial, delay, task);
    }

    private String scheduledGroup() {
        return ownGroup("schedule", "the method that takes one");
    }

    void requireMaySchedule(String group) {
        ScopeBridge.requireStack();
        requireWithin();
        requireNotClosedByOwner();
        bridge.requireKey(group);
    }

    // ---- the end

    @Override
    public void defer(Runnable cleanUp) {
        Objects.requireNonNull(cleanUp, "cleanUp");
        requireWithin();
        if (!closing.defer(cleanUp)) {
            throw closedException();
        }
    }

    @Override
    public void close() {
        requireOwner();
        closing.close();
    }

    // ---- what it shows

    @Override
    public @Nullable OpenScope<?, ?, ?> parent() {
        return parent;
    }

    @Override
    public Thread owner() {
        return owner;
    }

    boolean isInsideAnotherOfItsExecutor() {
        OpenScope<?, ?, ?> at = parent;
        while (at != null && at.bridge != bridge) {
            at = at.parent;
        }
        return at != null;
    }

    long id() {
        return name.id();
    }

    String name() {
        return name.text();
    }

    /** {@return for how long it has been open} */
    Duration age() {
        return Duration.ofNanos(bridge.now() - openedNanos);
    }

    Instant instantOf(long nanos) {
        return openedAt.plusNanos(nanos - openedNanos);
    }

    ScopeInfo info() {
        long due = time.deadline();
        return new ScopeInfo(
                name.id(),
                name(),
                parent == null ? OptionalLong.empty() : OptionalLong.of(parent.name.id()),
                owner.getName(),
                openedAt,
                due == Long.MAX_VALUE ? Optional.empty() : Optional.of(instantOf(due)));
    }

    @Override
    public ScopeSettings settings() {
        return settings;
    }

    @Override
    public ScopeTotals totals() {
        return forks.tally.get();
    }

    @Override
    public ScopeSnapshot snapshot() {
        return ScopeView.of(this);
    }

    @Override
    public String toString() {
        return name.toString();
    }
}
