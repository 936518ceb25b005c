package io.github.kobe.scope;

import io.github.kobe.internal.KeyText;
import io.github.kobe.internal.Lineage;
import io.github.kobe.internal.ScopeBridge;
import io.github.kobe.internal.ScopeBridge.Alarm;
import io.github.kobe.scope.ScopeSnapshot.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
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
 * <h2>Which outcome wins</h2>
 *
 * <ol>
 *   <li>The owner is interrupted in its wait, or is itself a fork that was cancelled: InterruptedException, whichever signal
 *       came first. The owner may join again.
 *   <li>The joiner's onComplete threw: IllegalStateException.
 *   <li>The time was up, and that cut off a fork: the joiner's timeout. Whether it did is known under the lock of
 *       {@link Forks}: there each fork's end is either before the cancel or not at all.
 *   <li>Else the joiner's result, also after a cancel: it knows which forks it has not heard of.
 * </ol>
 *
 * <h2>Cancelling</h2>
 *
 * <p>Goes over the subtree four times: all scopes are marked from above to below, so that nothing begins any more, and their
 * owners woken; what waits leaves its queue, the newest first; what runs is interrupted, its permits thus free for nobody of
 * the subtree; user code is told. Who finds a fork in an instant in between sees the mark: it begins no code.
 *
 * <p>The fields are written by the owner, except where they say otherwise. No user code runs under a lock.
 */
@SuppressWarnings("ReferenceEquality") // scopes, forks and threads have identity
final class OpenScope<T, R, X extends Throwable> implements GroupScope<T, R, X>, Lineage {

    private static final AtomicLong LAST_ID = new AtomicLong();

    final ScopeBridge bridge;
    final Thread owner = Thread.currentThread();
    /** The scope that its owner had open when it opened this one. */
    final @Nullable OpenScope<?, ?, ?> outer;

    final Audience audience;
    final Forks forks = new Forks();
    final OwnerWait ownerWait;

    private final long id = LAST_ID.incrementAndGet();
    private final ScopeConfiguration configuration;
    private final Joiner<T, R, X> joiner;
    private final @Nullable OpenScope<?, ?, ?> parent;
    /** The fork that its owner runs. */
    final @Nullable ForkedSubtask<?> ownerFork;

    private final Instant openedAt = Instant.now();
    private final long openedNanos;
    private final AtomicLong lastFork = new AtomicLong();

    /** Scopes that were opened right inside it; by anyone. */
    final Set<OpenScope<?, ?, ?>> children = ConcurrentHashMap.newKeySet();

    /** What it has to schedule; by anyone of the subtree. */
    private final Set<ForkSchedule> schedules = ConcurrentHashMap.newKeySet();

    private final CleanUps cleanUps = new CleanUps();

    /** When its time is up, on the engine's clock; {@link Long#MAX_VALUE}: never. */
    private volatile long deadline;

    private @Nullable Alarm alarm;
    private boolean joinBegan;
    /** Whether it has given its outcome. */
    private boolean gaveOutcome;
    /** Whether there is an outcome: its forks can be read. */
    private volatile boolean joined;

    private volatile boolean closed;
    private boolean closedByOuter;
    /** What the joiner's onComplete threw; by the thread of a fork. */
    private volatile @Nullable Throwable broken;

    private boolean concluded;
    private @Nullable R conclusion;
    private @Nullable Throwable failedConclusion;

    // ---- opening

    private OpenScope(
            ScopeBridge bridge,
            ScopeConfiguration configuration,
            Joiner<T, R, X> joiner,
            @Nullable OpenScope<?, ?, ?> outer,
            @Nullable ForkedSubtask<?> ownerFork) {
        this.bridge = bridge;
        this.configuration = configuration;
        this.joiner = joiner;
        this.outer = outer;
        this.ownerFork = ownerFork;
        this.parent = outer != null ? outer : ownerFork == null ? null : ownerFork.scope();
        this.audience = new Audience(bridge, configuration.listeners());
        this.openedNanos = bridge.now();
        this.ownerWait = new OwnerWait(this, configuration.mostForks());
    }

    @SuppressWarnings("unchecked") // a joiner is given forks and asked for results, which have the narrower types
    static <T, R, X extends Throwable> OpenScope<T, R, X> open(
            ScopeBridge bridge, ScopeConfiguration configuration, Joiner<? super T, ? extends R, X> joiner) {
        ScopeBridge.requireStack();
        Thread thread = Thread.currentThread();
        OpenScope<?, ?, ?> outer = ScopeTree.innermost(thread);
        ForkedSubtask<?> ownerFork = ScopeTree.forkOf(thread);
        boolean inside = outer != null || ownerFork != null;
        if (!bridge.admits() && (!inside || bridge.isOver())) {
            throw new IllegalStateException("The executor is shut down and takes no new work");
        }
        OneScopeJoiner.take(joiner);
        OpenScope<T, R, X> scope = new OpenScope<>(bridge, configuration, (Joiner<T, R, X>) joiner, outer, ownerFork);
        scope.begin();
        return scope;
    }

    private void begin() {
        ScopeTree.opened(this);
        Cause outerCause = null;
        if (parent != null) {
            parent.children.add(this);
            outerCause = parent.forks.cause(); // either this sees it, or whoever cancels sees this
        }
        long own = after(openedNanos, configuration.limit());
        long outers = parent == null ? Long.MAX_VALUE : after(openedNanos, parent.nanosLeft());
        deadline = Math.min(own, outers);
        if (outerCause != null) {
            cancel(outerCause);
        } else if (deadline <= openedNanos) {
            cancel(Cause.TIMED_OUT);
        } else if (own < outers) { // else the outer one's time-out comes here too, and ends both alike
            alarm = alarmAt(own);
        }
        audience.opened(this);
    }

    private static long after(long start, @Nullable Duration time) {
        return time == null ? Long.MAX_VALUE : after(start, TimeUnit.NANOSECONDS.convert(time));
    }

    /** {@return a time so much after another on an engine's clock; {@link Long#MAX_VALUE}: never} */
    static long after(long start, long nanos) {
        return nanos > Long.MAX_VALUE - start ? Long.MAX_VALUE : start + nanos;
    }

    /** {@return how much time it has, in nanoseconds; {@link Long#MAX_VALUE}: no limit} */
    private long nanosLeft() {
        long due = deadline;
        return due == Long.MAX_VALUE ? due : due - bridge.now();
    }

    private @Nullable Alarm alarmAt(long time) {
        return bridge.at(time, this::timeIsUp);
    }

    /** Has {@code action} run in so many nanoseconds, on a fresh thread; {@code null} if that can't be. */
    @Nullable
    Alarm alarm(long nanos, Runnable action) {
        return bridge.at(after(bridge.now(), nanos), action);
    }

    private void timeIsUp() {
        cancel(Cause.TIMED_OUT);
        if (!owner.isAlive()) {
            abandon();
        }
    }

    /** Its owner has ended and left it open, with those inside it: nobody will close them. */
    private void abandon() {
        OpenScope<?, ?, ?> left;
        do {
            left = ScopeTree.innermost(owner);
            if (left != null) {
                ScopeTree.closed(left);
                if (left.parent != null) {
                    left.parent.children.remove(left);
                }
            }
        } while (left != null && left != this);
    }

    // ---- who may

    private void requireOwner() {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException("The thread isn't the owner of " + this);
        }
    }

    /** Checks that the current thread is the owner, or one of the subtree. */
    void requireWithin() {
        Thread thread = Thread.currentThread();
        if (thread != owner && !ScopeTree.isWithin(thread, this)) {
            throw new WrongThreadException("The thread is neither the owner of " + this + " nor runs a fork in it");
        }
    }

    private void requireNotClosed() {
        if (closed) {
            throw closedException();
        }
    }

    /** As {@link #requireNotClosed}; one that an outer scope's close has closed is cancelled for its owner, not closed. */
    private void requireNotClosedByOwner() {
        if (closed && !closedByOuter) { // in this order, as they are written the other way round
            throw closedException();
        }
    }

    private IllegalStateException closedException() {
        return new IllegalStateException("It is closed: " + this);
    }

    // ---- forks

    @Override
    public <U extends T> Subtask<U> fork(Callable<? extends U> task) {
        Objects.requireNonNull(task, "task");
        return forked(ownGroup(), task, null);
    }

    @Override
    public <U extends T> Subtask<U> fork(Runnable task) {
        Objects.requireNonNull(task, "task");
        return forked(ownGroup(), valueless(task), null);
    }

    @Override
    public <U extends T> Subtask<U> fork(String group, Callable<? extends U> task) {
        Objects.requireNonNull(group, "group");
        return forked(group, Objects.requireNonNull(task, "task"), null);
    }

    @Override
    public <U extends T> Subtask<U> fork(String group, Runnable task) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(task, "task");
        return forked(group, valueless(task), null);
    }

    @Override
    public <U extends T> Subtask<U> fork(ForkOptions options, Callable<? extends U> task) {
        Objects.requireNonNull(options, "options");
        return forked(options.group(), Objects.requireNonNull(task, "task"), options);
    }

    private String ownGroup() {
        String group = configuration.givenGroup();
        if (group == null) {
            throw new IllegalStateException("No group is named for the fork, nor for its scope by withGroup");
        }
        return group;
    }

    /** {@return the task as one whose value is null, whatever the type of values} */
    @SuppressWarnings({"unchecked", "NullAway"}) // null is of every type
    private static <U> Callable<U> valueless(Runnable task) {
        return (Callable<U>) Executors.callable(task);
    }

    private <U extends T> ForkedSubtask<U> forked(
            String group, Callable<? extends U> task, @Nullable ForkOptions options) {
        ScopeBridge.requireStack();
        requireWithin();
        boolean byOwner = Thread.currentThread() == owner;
        requireForkable(byOwner);
        bridge.requireShortEnough(group);
        boolean inTime = !byOwner || configuration.mostForks() == 0 || awaitTurn();
        RetryPolicy retry = configuration.retry();
        ForkPlan plan = options == null && retry == RetryPolicy.none() && audience.isEmpty()
                ? null
                : new ForkPlan(options, retry, null);
        ForkedSubtask<U> fork = new ForkedSubtask<>(this, group, lastFork.incrementAndGet(), bridge.now(), plan);
        if (tellForked(fork)) {
            cancel(Cause.JOINER);
        }
        if (!(inTime || isCancelled()) || !forks.add(fork)) {
            fork.neverBegins();
            return fork;
        }
        start(fork, plan, task);
        return fork;
    }

    private void requireForkable(boolean byOwner) {
        requireNotClosedByOwner();
        if (byOwner ? joinBegan : joined && !isCancelled()) {
            throw new IllegalStateException("Its owner has begun to join it: " + this);
        }
    }

    @SuppressWarnings("unchecked") // a fork's type is narrower
    private boolean tellForked(ForkedSubtask<? extends T> fork) {
        return joiner.onFork((Subtask<T>) fork);
    }

    /** Has a fork that is added submitted, now or later; if there is no memory for that, nothing has come of it. */
    private void start(ForkedSubtask<?> fork, @Nullable ForkPlan plan, Callable<?> task) {
        boolean started = false;
        try {
            fork.start(task);
            started = true;
        } finally {
            if (!started) {
                if (plan != null) {
                    plan.cancelAlarms();
                }
                ownerWait.over(fork, forks.drop(fork, plan != null && plan.delayNanos > 0));
            }
        }
    }

    /** Waits until fewer forks are unfinished than there may be; false if that was cut short. */
    private boolean awaitTurn() {
        int most = configuration.mostForks();
        if (forks.unfinished() < most) {
            return true;
        }
        if (ownerWait.block(Owner.FORKING, () -> forks.unfinished() < most || isCancelled())) {
            owner.interrupt();
            return false;
        }
        return !isCancelled();
    }

    /** A fork has ended before its scope was cancelled; on its thread, if it has one, before its permits are back. */
    @SuppressWarnings("unchecked") // a fork's type is narrower
    void completed(ForkedSubtask<?> fork) {
        boolean ends;
        try {
            ends = joiner.onComplete((Subtask<T>) fork);
        } catch (Throwable thrown) {
            if (broken == null) {
                broken = thrown;
            }
            ends = true;
        }
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
    }

    // ---- waits of the owner

    /**
     * Parks until it is woken; where no alarm could be set, until its time is up, and then ends it.
     *
     * @param lent whether what the owner holds may be lent
     */
    void park(boolean lent) {
        long left = alarm == null && !isCancelled() && parent == null ? nanosLeft() : Long.MAX_VALUE;
        if (left == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else if (left > 0) {
            LockSupport.parkNanos(this, left);
        } else {
            cancelByOwner(Cause.TIMED_OUT, lent);
        }
    }

    // ---- join

    @Override
    public R join() throws X, InterruptedException {
        beginJoin();
        return conclude();
    }

    @Override
    public R joinUntil(Instant until) throws X, InterruptedException {
        Objects.requireNonNull(until, "deadline");
        beginJoin();
        long due = after(bridge.now(), TimeUnit.NANOSECONDS.convert(Duration.between(Instant.now(), until)));
        if (due <= bridge.now()) {
            cancel(Cause.TIMED_OUT);
        } else if (due < deadline) {
            cancelAlarm();
            deadline = due;
            alarm = alarmAt(due);
        }
        return conclude();
    }

    private void beginJoin() {
        ScopeBridge.requireStack();
        requireOwner();
        requireNotClosedByOwner();
        if (gaveOutcome) {
            throw new IllegalStateException("It has been joined: " + this);
        }
        joinBegan = true;
    }

    private R conclude() throws X, InterruptedException {
        try {
            if (ownerWait.block(Owner.JOINING, forks::isReady) || isOwnerCancelled()) {
                throw new InterruptedException();
            }
        } finally {
            forks.joined();
        }
        gaveOutcome = true;
        return outcome();
    }

    private boolean isOwnerCancelled() {
        return ownerFork != null && ownerFork.isCancelled();
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // what it threw is an X or unchecked; a result may be null if R may
    private R outcome() throws X {
        joined = true;
        if (!concluded) {
            concluded = true;
            try {
                conclusion = newOutcome();
            } catch (Throwable thrown) {
                failedConclusion = thrown;
            }
        }
        if (failedConclusion != null) {
            throw (X) failedConclusion;
        }
        return conclusion;
    }

    private R newOutcome() throws X {
        Throwable thrown = broken;
        if (thrown != null) {
            throw new IllegalStateException("The joiner's onComplete failed", thrown);
        }
        return forks.cause() == Cause.TIMED_OUT && forks.isCut() ? joiner.timeout() : joiner.result();
    }

    boolean isJoined() {
        return joined;
    }

    // ---- await

    @Override
    public Outcome await(Subtask<?>... some) throws X, InterruptedException {
        return await(Arrays.asList(some));
    }

    @Override
    public Outcome await(Collection<? extends Subtask<?>> some) throws X, InterruptedException {
        List<ForkedSubtask<?>> all = awaitOver(some);
        int succeeded = 0;
        List<Throwable> failures = new ArrayList<>();
        for (ForkedSubtask<?> fork : all) {
            Throwable failure = fork.failureOrNull();
            if (failure != null) {
                failures.add(failure);
            } else if (fork.state() == Subtask.State.SUCCESS) {
                succeeded++;
            }
        }
        return new Outcome(all.size(), succeeded, all.size() - succeeded - failures.size(), failures);
    }

    @Override
    @SuppressWarnings("unchecked") // the value of a Subtask<? extends U>
    public <U> List<@Nullable U> awaitAll(Collection<? extends Subtask<? extends U>> some)
            throws X, InterruptedException {
        List<@Nullable U> values = new ArrayList<>();
        for (ForkedSubtask<?> fork : awaitOver(some)) {
            values.add((U) fork.valueOrNull());
        }
        return Collections.unmodifiableList(values);
    }

    private List<ForkedSubtask<?>> awaitOver(Collection<? extends Subtask<?>> some) throws X, InterruptedException {
        ScopeBridge.requireStack();
        List<ForkedSubtask<?>> all = new ArrayList<>(some.size());
        for (Subtask<?> subtask : some) {
            ForkedSubtask<?> fork = (ForkedSubtask<?>) Objects.requireNonNull(subtask, "subtask");
            if (fork.scope() != this) {
                throw new IllegalArgumentException(fork + " is not of " + this);
            }
            all.add(fork);
        }
        requireOwner();
        requireNotClosed();
        if (!all.isEmpty()) {
            int[] at = {0};
            try {
                if (ownerWait.block(Owner.AWAITING, () -> isCancelled() ? forks.isTold() : areOver(all, at))) {
                    throw new InterruptedException();
                }
            } finally {
                forks.joined();
            }
            if (isCancelled() && all.stream().anyMatch(fork -> fork.state() == Subtask.State.UNAVAILABLE)) {
                concludeEarly();
            }
            all.forEach(ForkedSubtask::awaited);
        }
        return all;
    }

    /** Goes on from where it was to the first that isn't over, which then wakes the owner. */
    private boolean areOver(List<ForkedSubtask<?>> all, int[] at) {
        for (; at[0] < all.size(); at[0]++) {
            ForkedSubtask<?> next = all.get(at[0]);
            ownerWait.awaits(next);
            if (!next.isOver()) {
                return false;
            }
        }
        return true;
    }

    /** The scope was cancelled before what is awaited had ended: as join, which may still follow. */
    private void concludeEarly() throws X, InterruptedException {
        if (isOwnerCancelled()) {
            throw new InterruptedException();
        }
        R unused = outcome();
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
        cancelUntold(why).forEach(ForkedSubtask::tellLeft);
    }

    /**
     * As {@link #cancel}, by its owner amid a wait.
     *
     * @param lent whether what it holds may be lent: then it must run no user code, which would be one too many
     */
    void cancelByOwner(Cause why, boolean lent) {
        List<Object> left = cancelUntold(why);
        if (!lent) {
            left.forEach(ForkedSubtask::tellLeft);
        } else if (!left.isEmpty()) {
            bridge.runSoon(() -> left.forEach(ForkedSubtask::tellLeft));
        }
    }

    /** {@return what has left, to be told} */
    private List<Object> cancelUntold(Cause why) {
        if (isCancelled()) {
            return List.of();
        }
        ScopeBridge.requireStack();
        List<OpenScope<?, ?, ?>> marked = new ArrayList<>();
        mark(why, marked);
        List<Object> left = new ArrayList<>();
        for (OpenScope<?, ?, ?> scope : marked.reversed()) {
            for (ForkedSubtask<?> fork = scope.forks.newest(); fork != null; fork = fork.older) {
                Object untold = fork.leave();
                if (untold != null) {
                    left.add(untold);
                }
            }
        }
        for (OpenScope<?, ?, ?> scope : marked.reversed()) {
            for (ForkedSubtask<?> fork = scope.forks.newest(); fork != null; fork = fork.older) {
                fork.leaveGroup();
            }
        }
        return left;
    }

    private void mark(Cause why, List<OpenScope<?, ?, ?>> marked) {
        if (forks.cancelAll(why)) {
            ownerWait.wake(); // needs no memory
            marked.add(this);
            children.forEach(inner -> inner.mark(why, marked));
        }
    }

    /** Cancels the scopes that one fork has opened, which was cancelled alone. */
    void cancelOpenedIn(ForkedSubtask<?> fork) {
        children.forEach(inner -> {
            if (inner.ownerFork == fork) {
                inner.cancel(Cause.ASKED);
            }
        });
    }

    @Override
    public CancellationToken token() {
        return new Token(this);
    }

    private record Token(OpenScope<?, ?, ?> scope) implements CancellationToken {

        @Override
        public boolean isCancelled() {
            return scope.isCancelled();
        }

        @Override
        public void cancel() {
            scope.cancel(Cause.ASKED);
        }

        @Override
        public void throwIfCancelled() {
            if (isCancelled()) {
                throw new CancellationException("It is cancelled: " + scope);
            }
        }
    }

    // ---- schedules

    @Override
    public ScheduledFork schedule(String group, Duration delay, Callable<?> task) {
        return scheduled(group, delay, null, false, task);
    }

    @Override
    public ScheduledFork schedule(String group, Duration delay, Runnable task) {
        Objects.requireNonNull(task, "task");
        return scheduled(group, delay, null, false, Executors.callable(task));
    }

    @Override
    public ScheduledFork scheduleAtFixedRate(String group, Duration initial, Duration period, Runnable task) {
        Objects.requireNonNull(task, "task");
        Range.positive(period, "period");
        return scheduled(group, initial, period, true, Executors.callable(task));
    }

    @Override
    public ScheduledFork scheduleWithFixedDelay(String group, Duration initial, Duration delay, Runnable task) {
        Objects.requireNonNull(task, "task");
        Range.positive(delay, "delay");
        return scheduled(group, initial, delay, false, Executors.callable(task));
    }

    private ScheduledFork scheduled(
            String group, Duration initial, @Nullable Duration period, boolean atFixedRate, Callable<?> task) {
        Objects.requireNonNull(group, "group");
        Range.notNegative(initial, "delay");
        Objects.requireNonNull(task, "task");
        ScopeBridge.requireStack();
        requireWithin();
        requireNotClosedByOwner();
        bridge.requireShortEnough(group);
        ForkSchedule schedule = new ForkSchedule(
                this,
                group,
                bridge.take(group, "", task),
                period == null ? 0 : TimeUnit.NANOSECONDS.convert(period),
                atFixedRate);
        schedules.add(schedule);
        schedule.begin(TimeUnit.NANOSECONDS.convert(initial));
        if (closed) {
            schedule.end(); // its owner has closed it meanwhile, or an outer scope before
        }
        return schedule;
    }

    /** {@return a run of {@code schedule}; {@code null} if the scope is cancelled} */
    @Nullable
    ForkedSubtask<?> newRun(ForkSchedule schedule, String group, Object taken) {
        ForkPlan plan = new ForkPlan(null, RetryPolicy.none(), schedule);
        plan.taken = taken;
        ForkedSubtask<?> run = new ForkedSubtask<>(this, group, lastFork.incrementAndGet(), bridge.now(), plan);
        return forks.add(run) ? run : null;
    }

    void forget(ForkSchedule schedule) {
        schedules.remove(schedule);
    }

    // ---- the end

    @Override
    public void defer(Runnable cleanUp) {
        Objects.requireNonNull(cleanUp, "cleanUp");
        requireWithin();
        if (!cleanUps.add(cleanUp)) {
            throw closedException();
        }
    }

    @Override
    public void close() {
        requireOwner();
        if (closed) {
            return;
        }
        ScopeBridge.requireStack();
        Throwable failure = null;
        for (OpenScope<?, ?, ?> inner = ScopeTree.innermost(owner);
                inner != null && inner != this;
                inner = ScopeTree.innermost(owner)) {
            if (failure == null) {
                failure = new ScopeStructureException(this + " was closed before " + inner + ", which is inside it");
            }
            inner.closedByOuter = true;
            inner.end(failure);
        }
        if (failure == null && forks.isUnjoined()) {
            failure = new IllegalStateException("Something was forked, and its owner has not joined it: " + this);
        }
        failure = end(failure);
        if (failure != null) {
            OpenScope.<RuntimeException>throwUnchecked(failure);
        }
    }

    @SuppressWarnings("unchecked") // what a clean-up throws goes on as it is
    private static <E extends Throwable> void throwUnchecked(Throwable failure) throws E {
        throw (E) failure;
    }

    /**
     * Closes it, on its owner's thread, with no other scope open inside it.
     *
     * @param failure what its close throws anyway
     * @return what its close throws, with what clean-ups threw
     */
    private @Nullable Throwable end(@Nullable Throwable failure) {
        cancel(Cause.CLOSED);
        boolean interrupted = ownerWait.awaitQuiet();
        cancelAlarm();
        schedules.forEach(ForkSchedule::end);
        ScopeTree.closed(this);
        if (parent != null) {
            parent.children.remove(this);
        }
        forks.clear();
        closed = true; // before these run: they can't fork, and those that close it again find that done
        Throwable thrown = cleanUps.run(failure);
        audience.closed(this);
        if (interrupted || cleanUps.wasInterrupted()) {
            owner.interrupt();
        }
        return thrown;
    }

    private void cancelAlarm() {
        Alarm set = alarm;
        if (set != null) {
            set.cancel();
        }
    }

    /**
     * Closes what the current thread, which has run a fork of this scope, has left open.
     *
     * @return why the fork fails: its own failure before that
     */
    @Nullable
    Throwable closeLeftOpen(@Nullable Throwable failure) {
        Throwable thrown = failure;
        Thread thread = Thread.currentThread();
        for (OpenScope<?, ?, ?> left = ScopeTree.innermost(thread); left != null; left = ScopeTree.innermost(thread)) {
            Throwable structure = left.end(new ScopeStructureException("A fork has left open " + left));
            if (thrown == null) {
                thrown = structure;
            } else if (structure != null) {
                thrown.addSuppressed(structure);
            }
        }
        return thrown;
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
        return id;
    }

    String name() {
        String given = configuration.givenName();
        return given == null ? "scope-" + id : given;
    }

    Instant instantOf(long nanos) {
        return openedAt.plusNanos(nanos - openedNanos);
    }

    ScopeInfo info() {
        long due = deadline;
        return new ScopeInfo(
                id,
                name(),
                parent == null ? OptionalLong.empty() : OptionalLong.of(parent.id),
                owner.getName(),
                openedAt,
                due == Long.MAX_VALUE ? Optional.empty() : Optional.of(instantOf(due)));
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public ScopeTotals totals() {
        return forks.totals();
    }

    @Override
    public ScopeSnapshot snapshot() {
        return ScopeView.of(this);
    }

    @Override
    public String toString() {
        return "GroupScope[" + KeyText.printable(name()) + "]";
    }
}
