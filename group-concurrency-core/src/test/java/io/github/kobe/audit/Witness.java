package io.github.kobe.audit;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExplanation;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the tasks themselves saw, apart from what the engine says. It counts who is inside each group from within the
 * tasks' code: each of them holds its permits between its two marks, so a count above a limit is a limit exceeded.
 *
 * <p>{@link Engines} puts it into the policy as a decorator, which counts every submitted task by itself, and as a
 * listener. Code that runs under {@code call} or a permit tells of it by {@link #enter} or {@link #enterDetached}; code
 * that waits for work that may have to wait, inside a task, does so through {@link #waiting}.
 *
 * <p>Limits are read from the executor at each start. A test that changes limits while tasks start tells of it by
 * {@link #changing} and {@link #changingGlobal}, or a start that was granted before would seem one too many.
 */
public final class Witness {

    private static final int MAX_FINDINGS = 20;

    private final ConcurrentMap<String, Group> groups = new ConcurrentHashMap<>();
    private final ConcurrentMap<Thread, Inside> insides = new ConcurrentHashMap<>();
    private final ConcurrentMap<Thread, Uncounted> uncounted = new ConcurrentHashMap<>();
    private final Count global = new Count("in flight over all groups");
    private final Queue<String> findings = new ConcurrentLinkedQueue<>();
    private final ConcurrentMap<Task, Story> stories = new ConcurrentHashMap<>();
    private final Queue<TaskHandle<?>> handles = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Boolean> withoutPermits = new ThreadLocal<>();
    private final AtomicLong submitted = new AtomicLong();
    private volatile GroupExecutor executor;
    private volatile boolean globalTold;
    private volatile boolean blind;

    // ---------------------------------------------------------------- who is inside

    /** The calling thread is inside a group from now on; again inside the same group counts once. */
    public Stay enter(String groupKey) {
        return enter(groupKey, 0, null);
    }

    private Stay enter(String groupKey, long turn, Thread submitter) {
        Group group = group(groupKey);
        Inside inside = insides.computeIfAbsent(Thread.currentThread(), Inside::new);
        boolean first = inside.enter(group, readLimits(groupKey));
        if (first && submitter != null) {
            group.checkTurn(submitter, turn);
        }
        return new Stay(inside, group);
    }

    /** Somebody holds a permit of a group from now on that belongs to no thread. */
    public Stay enterDetached(String groupKey) {
        Group group = group(groupKey);
        Inside inside = new Inside(null);
        inside.enter(group, readLimits(groupKey));
        return new Stay(inside, group);
    }

    /** Runs work on this thread, marked as inside a group: the body of a {@code call}. */
    public <T> Callable<T> inside(String groupKey, Callable<T> work) {
        return () -> {
            Stay stay = enter(groupKey);
            try {
                return work.call();
            } finally {
                stay.close();
            }
        };
    }

    /**
     * Waits for work of a group, inside a task: while it does, the task doesn't count in that group nor over all, since
     * it may have lent its permits; when it returns, it counts again.
     */
    public <T> T waiting(String awaitedGroup, Callable<T> wait) throws Exception {
        Inside inside = insides.get(Thread.currentThread());
        if (inside == null) {
            if (uncounted.containsKey(Thread.currentThread())) {
                mayLendUnseen(awaitedGroup); // as by work that a rejection policy has the caller run under its permit
            }
            return wait.call();
        }
        Group group = group(awaitedGroup);
        inside.lend(group);
        try {
            return wait.call();
        } finally {
            inside.takeBack(group);
        }
    }

    /**
     * Runs work on this thread under a permit of a group that isn't marked, since somebody else may close it at any time.
     * What the work enters by this permit may begin again and again, and stands for one grant: if that came before a
     * limit shrank, none of it is one too many.
     */
    public <T> T underUncounted(String groupKey, Callable<T> work) throws Exception {
        uncounted.put(Thread.currentThread(), new Uncounted(group(groupKey)));
        try {
            return work.call();
        } finally {
            uncounted.remove(Thread.currentThread());
        }
    }

    /** A thread that isn't marked as inside may lend permits of a group and the global one, to work of that group. */
    public void mayLendUnseen(String groupKey) {
        Group group = group(groupKey);
        group.running.mayBeLent();
        group.inFlight.mayBeLent();
        global.mayBeLent();
    }

    /** Asynchronous work that counts as in flight until its stage completes. */
    public <T> Callable<CompletionStage<T>> async(String groupKey, Callable<? extends CompletionStage<T>> work) {
        return () -> {
            Inside inside = insides.get(Thread.currentThread());
            if (inside == null) {
                throw new AssertionError("asynchronous work that runs outside the witness");
            }
            CompletionStage<T> stage = work.call();
            Runnable end = inside.stayInFlight(group(groupKey));
            Flight<T> flight = new Flight<>(end);
            stage.whenComplete((value, error) -> {
                if (error == null) {
                    flight.complete(value);
                } else {
                    flight.completeExceptionally(error);
                }
            });
            return flight;
        };
    }

    /** How many are inside a group, as their own marks say. */
    public int running(String groupKey) {
        return group(groupKey).running.now.get();
    }

    /** The most that were ever inside a group at once. */
    public int peakRunning(String groupKey) {
        return group(groupKey).running.peak.get();
    }

    public int inFlight(String groupKey) {
        return group(groupKey).inFlight.now.get();
    }

    public int peakInFlight(String groupKey) {
        return group(groupKey).inFlight.peak.get();
    }

    public int globalInFlight() {
        return global.now.get();
    }

    public int peakGlobalInFlight() {
        return global.peak.get();
    }

    /** The ids of the tasks of a group in the order in which they started, as the listener heard it. */
    public List<String> started(String groupKey) {
        return List.copyOf(group(groupKey).started);
    }

    // ---------------------------------------------------------------- limits

    /** Changes the limits of one group by {@code change}, and knows of it. */
    public void changing(String groupKey, int maxConcurrency, int maxInFlight, Runnable change) {
        Group group = group(groupKey);
        group.told = true;
        group.running.beforeChange(maxConcurrency);
        group.inFlight.beforeChange(maxInFlight);
        change.run();
        group.running.afterChange(maxConcurrency);
        group.inFlight.afterChange(maxInFlight);
    }

    /** Changes the global limit by {@code change}, and knows of it. */
    public void changingGlobal(int maxInFlight, Runnable change) {
        globalTold = true;
        global.beforeChange(maxInFlight);
        change.run();
        global.afterChange(maxInFlight);
    }

    /** All is quiet: from here on, the limits in force hold strictly again. */
    public void settle() {
        global.settle();
        groups.values().forEach(group -> {
            group.running.settle();
            group.inFlight.settle();
        });
    }

    private Limits readLimits(String groupKey) {
        GroupExecutor subject = executor;
        if (subject == null) {
            return Limits.UNKNOWN;
        }
        int globalMax = subject.policy().globalMaxInFlight();
        if (group(groupKey).told) {
            return new Limits(0, 0, globalMax);
        }
        return subject.groupStats(groupKey)
                .map(stats -> new Limits(
                        stats.maxConcurrency().value(), stats.maxInFlight().value(), globalMax))
                .orElseGet(() -> explained(subject.policy(), groupKey));
    }

    /** What the resolver would say isn't known: only what the test tells counts. */
    private static Limits explained(GroupPolicy policy, String groupKey) {
        GroupExplanation why = policy.explain(groupKey);
        return new Limits(
                why.maxConcurrency().map(EffectiveLimit::value).orElse(0),
                why.maxInFlight().map(EffectiveLimit::value).orElse(0),
                policy.globalMaxInFlight());
    }

    private record Limits(int maxConcurrency, int maxInFlight, int globalMaxInFlight) {
        /** None known: only what the test tells counts. */
        static final Limits UNKNOWN = new Limits(0, 0, 0);
    }

    // ---------------------------------------------------------------- handles, events

    /** Has the audit compare a handle with its future and with what the listener heard. */
    public <T> TaskHandle<T> watch(TaskHandle<T> handle) {
        handles.add(handle);
        return handle;
    }

    /** The executor is without this witness from now on: what the listener hears is no longer all. */
    public void blind() {
        blind = true;
    }

    public void finding(String finding) {
        if (findings.size() < MAX_FINDINGS) {
            findings.add(finding);
        }
    }

    /** What is wrong so far; empty if nothing is. */
    public List<String> findings() {
        return new ArrayList<>(findings);
    }

    /** What is wrong once all is quiet, in the counts of those inside, and in the stories of tasks. */
    public List<String> findingsAtRest() {
        List<String> all = new ArrayList<>();
        insides.forEach((thread, inside) -> {
            if (!inside.isEmpty()) {
                all.add("I3: still inside " + inside + " on " + thread);
            }
        });
        groups.forEach((key, group) -> {
            if (group.running.now.get() != 0 || group.inFlight.now.get() != 0) {
                all.add("I3: group '" + key + "' still has " + group.running.now + " inside, " + group.inFlight.now
                        + " in flight");
            }
        });
        if (!blind) {
            stories.forEach((task, story) -> story.findingsAtRest(task, all));
        }
        return all;
    }

    /** Compares every watched handle with its future and with what the listener heard. */
    public void checkHandles() {
        for (TaskHandle<?> handle : handles) {
            checkHandle(handle);
        }
    }

    private <T> void checkHandle(TaskHandle<T> handle) {
        String name = handle.groupKey() + "/" + handle.taskId();
        try {
            Deadline.until("done", handle::isDone);
        } catch (AssertionError late) {
            finding("I2: handle " + name + " is not done");
            return;
        }
        Object outcome = outcome(handle);
        CompletableFuture<GroupResult<T>> future = handle.toCompletableFuture();
        if (!future.isDone()) {
            finding("I2: future of " + name + " is not done, its handle is");
            return;
        }
        Object other = future.handle((result, error) -> error == null ? result : rejection(error))
                .join();
        if (!isSame(outcome, other)) {
            finding("I2: handle of " + name + " says " + outcome + ", its future " + other);
        }
        Story story = stories.get(new Task(handle.groupKey(), handle.taskId()));
        if (!blind && story != null && story.submitted.get() == 1) {
            boolean rejected = story.rejected.get() == 1;
            if (outcome instanceof GroupResult<?> result && !rejected && result.status() != story.status) {
                finding("I2: handle of " + name + " says " + result.status() + ", the listener " + story.status);
            }
            if (outcome instanceof RejectionReason reason && story.reason != reason) {
                finding("I2: handle of " + name + " was rejected for " + reason + ", the listener heard "
                        + story.reason);
            }
        }
    }

    /** Whether both say the same; an error may be made anew each time. */
    private static boolean isSame(Object one, Object other) {
        if (one instanceof GroupResult<?> a && other instanceof GroupResult<?> b) {
            return a.status() == b.status() && Objects.equals(a.value(), b.value());
        }
        return one.equals(other);
    }

    private static Object outcome(TaskHandle<?> handle) {
        try {
            return handle.join();
        } catch (RejectedTaskException e) {
            return e.reason();
        }
    }

    private static Object rejection(Throwable error) {
        return error instanceof RejectedTaskException e ? e.reason() : error;
    }

    public long submitted() {
        return submitted.get();
    }

    /** What the listener heard, in numbers, to be compared with the executor's totals; null where it hasn't heard all. */
    public String heard() {
        if (blind) {
            return null;
        }
        Map<TaskStatus, Long> ended = new EnumMap<>(TaskStatus.class);
        Map<RejectionReason, Long> rejected = new EnumMap<>(RejectionReason.class);
        for (Story story : stories.values()) {
            story.addTo(ended, rejected);
        }
        return describe(
                submitted.get(),
                ended.getOrDefault(TaskStatus.SUCCESS, 0L),
                ended.getOrDefault(TaskStatus.FAILED, 0L),
                ended.getOrDefault(TaskStatus.CANCELLED, 0L),
                rejected);
    }

    public static String describe(
            long submitted, long succeeded, long failed, long cancelled, Map<RejectionReason, Long> rejected) {
        Map<RejectionReason, Long> some = new EnumMap<>(RejectionReason.class);
        rejected.forEach((reason, count) -> {
            if (count > 0) {
                some.put(reason, count);
            }
        });
        return "submitted " + submitted + ", succeeded " + succeeded + ", failed " + failed + ", cancelled " + cancelled
                + ", rejected " + some;
    }

    // ---------------------------------------------------------------- into a policy

    /** The policy with this witness in it, around the first listener, the first decorator and the handler that it has. */
    public GroupPolicy into(GroupPolicy policy) {
        List<TaskLifecycleListener> listeners = new ArrayList<>(policy.taskLifecycleListeners());
        TaskLifecycleListener firstListener =
                listeners.isEmpty() ? new TaskLifecycleListener() {} : listeners.removeFirst();
        listeners.addFirst(new Ear(firstListener));
        List<GroupTaskDecorator> decorators = new ArrayList<>(policy.taskDecorators());
        GroupTaskDecorator outermost = decorators.isEmpty() ? (groupKey, task) -> task : decorators.removeFirst();
        decorators.addFirst(new Marks(outermost));
        GroupPolicy.Builder builder =
                policy.toBuilder().taskLifecycleListeners(listeners).taskDecorators(decorators);
        policy.rejectionHandler().ifPresent(handler -> builder.rejectionHandler(new WithoutPermits(handler)));
        return builder.build();
    }

    public void watchOver(GroupExecutor subject) {
        executor = subject;
    }

    private Group group(String groupKey) {
        return groups.computeIfAbsent(groupKey, Group::new);
    }

    /** One who is inside; closed by whoever ends it, once. */
    public static final class Stay implements AutoCloseable {

        private final Inside inside;
        private Group group;

        private Stay(Inside inside, Group group) {
            this.inside = inside;
            this.group = group;
        }

        @Override
        public void close() {
            Group left;
            synchronized (this) {
                left = group;
                group = null;
            }
            if (left != null) {
                inside.leave(left);
            }
        }
    }

    /** The groups that one thread is inside. */
    private final class Inside {

        private final Thread thread;
        private final Map<Group, Integer> depths = new HashMap<>();
        private Group lentTo;
        private Group staysInFlight;

        private Inside(Thread thread) {
            this.thread = thread;
        }

        synchronized boolean isEmpty() {
            return depths.isEmpty();
        }

        synchronized boolean enter(Group group, Limits limits) {
            boolean outside = depths.isEmpty();
            int depth = depths.merge(group, 1, Integer::sum);
            if (depth > 1) {
                return false;
            }
            Uncounted permit = thread == null ? null : uncounted.get(thread);
            if (outside) {
                global.up(globalTold ? 0 : limits.globalMaxInFlight, permit);
            }
            group.inFlight.up(limits.maxInFlight, permit);
            group.running.up(limits.maxConcurrency, permit);
            return true;
        }

        synchronized void leave(Group group) {
            int depth = depths.merge(group, -1, Integer::sum);
            if (depth > 0) {
                return;
            }
            depths.remove(group);
            group.running.down();
            if (staysInFlight == group) {
                staysInFlight = null;
            } else {
                group.inFlight.down();
                if (depths.isEmpty()) {
                    global.down();
                }
            }
            if (depths.isEmpty() && thread != null) {
                insides.remove(thread, this);
            }
        }

        synchronized Runnable stayInFlight(Group group) {
            staysInFlight = group;
            AtomicInteger once = new AtomicInteger();
            return () -> {
                if (once.getAndIncrement() == 0) {
                    group.inFlight.down();
                    global.down();
                }
            };
        }

        synchronized void lend(Group group) {
            if (lentTo != null) {
                finding("the witness was told of a wait inside a wait on " + thread);
            }
            lentTo = group;
            group.running.mayBeLent();
            if (depths.containsKey(group)) {
                group.running.lent();
                group.inFlight.lent();
            }
            global.lent();
        }

        synchronized void takeBack(Group group) {
            lentTo = null;
            global.up(0, null);
            if (depths.containsKey(group)) {
                group.inFlight.up(0, null);
                group.running.up(0, null);
            }
        }

        @Override
        public synchronized String toString() {
            return depths.keySet().toString();
        }
    }

    /** A permit that its thread holds without a mark; by that thread. */
    private final class Uncounted {

        /** How often each limit that it counts against had shrunk when it was known to be out; -1: it is older than that. */
        private final Map<Count, Integer> shrinks = new HashMap<>();

        private Uncounted(Group group) {
            for (Count count : List.of(global, group.inFlight, group.running)) {
                shrinks.put(count, count.shrinks());
            }
        }

        /** Whether it may be older than a limit that has shrunk so often. */
        private boolean mayBeOlderThan(Count count, int shrunk) {
            Integer before = shrinks.get(count);
            return before != null && before < shrunk;
        }

        private void becomeOlderThan(Count count) {
            shrinks.computeIfPresent(count, (same, before) -> -1);
        }
    }

    private final class Group {

        private final String key;
        private final Count running;
        private final Count inFlight;
        private final Queue<String> started = new ConcurrentLinkedQueue<>();
        private final ConcurrentMap<Thread, Long> lastTurns = new ConcurrentHashMap<>();
        private final ConcurrentMap<Thread, AtomicLong> turns = new ConcurrentHashMap<>();
        private volatile boolean told;

        private Group(String key) {
            this.key = key;
            running = new Count("running in group '" + key + "'");
            inFlight = new Count("in flight in group '" + key + "'");
        }

        /** With one permit, the tasks of one submitter start in the order in which it submitted them. */
        private void checkTurn(Thread submitter, long turn) {
            if (running.isStrictlyOne()) {
                Long before = lastTurns.put(submitter, turn);
                if (before != null && before > turn) {
                    finding("I5: group '" + key + "' started turn " + turn + " of " + submitter + " after turn "
                            + before);
                }
            }
        }

        private long nextTurn(Thread submitter) {
            return turns.computeIfAbsent(submitter, thread -> new AtomicLong()).incrementAndGet();
        }

        @Override
        public String toString() {
            return key;
        }
    }

    /** How many hold a permit of one layer, and how many may. */
    private final class Count {

        private final String what;
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger peak = new AtomicInteger();
        private int limit;
        private int high;
        private int grantedBefore;
        private int shrinks;
        private boolean loans;

        private Count(String what) {
            this.what = what;
        }

        /**
         * One more; {@code known} is the limit as the executor names it, 0 where the test tells of limits. Counted and
         * judged in one step, or a shrink in between would count it as begun and yet judge it as new.
         */
        private synchronized void up(int known, Uncounted permit) {
            int count = now.incrementAndGet();
            peak.accumulateAndGet(count, Math::max);
            if (!admits(count, known, permit)) {
                finding("I1: " + count + " " + what + ", limit " + limit + ", before it " + high + " at most");
            }
        }

        private void down() {
            now.decrementAndGet();
        }

        private synchronized void lent() {
            loans = true;
            now.decrementAndGet();
        }

        private synchronized void mayBeLent() {
            loans = true;
        }

        private boolean admits(int count, int known, Uncounted permit) {
            if (known > limit) {
                beforeChange(known);
            } else if (known > 0 && known < limit) {
                shrink(known, count - 1);
            }
            if (count <= limit || limit == 0) {
                return true;
            }
            if (count > high) {
                return false;
            }
            if (loans || (permit != null && permit.mayBeOlderThan(this, shrinks))) {
                return true;
            }
            if (grantedBefore-- <= 0) {
                return false;
            }
            if (permit != null) {
                permit.becomeOlderThan(this);
            }
            return true;
        }

        private synchronized void beforeChange(int newLimit) {
            limit = Math.max(limit, newLimit);
            high = Math.max(high, newLimit);
        }

        /** What was granted under the old limit and hasn't begun yet may still begin; no more than that. */
        private synchronized void afterChange(int newLimit) {
            if (newLimit < limit) {
                shrink(newLimit, now.get());
            }
        }

        private void shrink(int newLimit, int begun) {
            limit = newLimit;
            grantedBefore = high - begun;
            shrinks++;
        }

        private synchronized int shrinks() {
            return shrinks;
        }

        private synchronized void settle() {
            high = limit;
            grantedBefore = 0;
            loans = false;
        }

        private synchronized boolean isStrictlyOne() {
            return high == 1 && !loans;
        }
    }

    /** A stage that leaves the group before anybody sees it complete. */
    private static final class Flight<T> extends CompletableFuture<T> {

        private final Runnable end;

        private Flight(Runnable end) {
            this.end = end;
        }

        @Override
        public boolean complete(T value) {
            end.run();
            return super.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable error) {
            end.run();
            return super.completeExceptionally(error);
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            end.run();
            return super.cancel(mayInterruptIfRunning);
        }
    }

    private record Task(String groupKey, String taskId) {}

    /** What the listener heard of the tasks with one id. */
    private static final class Story {

        private final AtomicInteger submitted = new AtomicInteger();
        private final AtomicInteger started = new AtomicInteger();
        private final AtomicInteger rejected = new AtomicInteger();
        private final AtomicInteger completed = new AtomicInteger();
        private final Map<TaskStatus, Long> statuses = new EnumMap<>(TaskStatus.class);
        private final Map<RejectionReason, Long> reasons = new EnumMap<>(RejectionReason.class);
        private volatile TaskStatus status;
        private volatile RejectionReason reason;

        private synchronized void completed(TaskStatus how) {
            status = how;
            statuses.merge(how, 1L, Long::sum);
            completed.incrementAndGet();
        }

        private synchronized void rejected(RejectionReason why) {
            reason = why;
            reasons.merge(why, 1L, Long::sum);
            rejected.incrementAndGet();
        }

        private synchronized void addTo(Map<TaskStatus, Long> ended, Map<RejectionReason, Long> notLetIn) {
            statuses.forEach((key, count) -> ended.merge(key, count, Long::sum));
            reasons.forEach((key, count) -> notLetIn.merge(key, count, Long::sum));
        }

        private void findingsAtRest(Task task, List<String> all) {
            if (submitted.get() != rejected.get() + completed.get()) {
                all.add("I2: " + task + " was submitted " + submitted + " times, but rejected " + rejected
                        + " and completed " + completed + " times");
            }
            if (started.get() > completed.get()) {
                all.add("I2: " + task + " started " + started + " times, but completed " + completed + " times");
            }
        }
    }

    private final class Ear implements TaskLifecycleListener {

        private final TaskLifecycleListener next;

        private Ear(TaskLifecycleListener next) {
            this.next = next;
        }

        private Story story(String groupKey, String taskId) {
            return stories.computeIfAbsent(new Task(groupKey, taskId), task -> new Story());
        }

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            submitted.incrementAndGet();
            story(groupKey, taskId).submitted.incrementAndGet();
            next.onSubmitted(groupKey, taskId);
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            Story story = story(groupKey, taskId);
            if (story.started.incrementAndGet() > story.submitted.get()) {
                finding("I2: " + groupKey + "/" + taskId + " started more often than it was submitted");
            }
            group(groupKey).started.add(taskId);
            next.onStarted(groupKey, taskId);
        }

        @Override
        public void onRejected(String groupKey, String taskId, RejectionReason reason) {
            story(groupKey, taskId).rejected(reason);
            next.onRejected(groupKey, taskId, reason);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            if (result.status() == TaskStatus.REJECTED) {
                finding("I2: " + groupKey + "/" + taskId + " was reported as completed, but REJECTED");
            }
            story(groupKey, taskId).completed(result.status());
            next.onCompleted(groupKey, taskId, result);
        }

        @Override
        public void onGroupRemoved(String groupKey) {
            next.onGroupRemoved(groupKey);
        }
    }

    /** Counts submitted tasks; those that their submitter or a rejection handler runs hold no permit. */
    private final class Marks implements GroupTaskDecorator {

        private final GroupTaskDecorator next;

        private Marks(GroupTaskDecorator next) {
            this.next = next;
        }

        @Override
        public Callable<?> decorate(String groupKey, Callable<?> task) {
            Thread submitter = Thread.currentThread();
            Callable<?> decorated = next.decorate(groupKey, task);
            if (decorated == null) {
                return null;
            }
            long turn = group(groupKey).nextTurn(submitter);
            return () -> {
                if (Thread.currentThread().equals(submitter) || withoutPermits.get() != null) {
                    return decorated.call();
                }
                Stay stay = enter(groupKey, turn, submitter);
                try {
                    return decorated.call();
                } finally {
                    stay.close();
                }
            };
        }
    }

    private final class WithoutPermits implements RejectionHandler {

        private final RejectionHandler next;

        private WithoutPermits(RejectionHandler next) {
            this.next = next;
        }

        @Override
        public GroupResult<?> onRejected(String groupKey, String taskId, Callable<?> task) {
            withoutPermits.set(true);
            try {
                return next.onRejected(groupKey, taskId, task);
            } finally {
                withoutPermits.remove();
            }
        }
    }
}
