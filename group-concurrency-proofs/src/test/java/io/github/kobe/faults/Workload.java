package io.github.kobe.faults;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Takes an executor along every {@link Route} on which work starts, waits and ends. It tolerates whatever comes of the
 * work, since what it is for is faults; but nothing may hang, and each handle has to end.
 */
final class Workload {

    /** The keys that a route uses; a group whose key ends like this lets nothing wait, under {@link #policy()}. */
    static final String FULL = "full";

    private final Engines engines;
    private final GroupExecutor executor;
    private final String prefix;
    private final Callable<String> code;
    private final Consumer<TaskHandle<?>> onSubmitted;
    private final List<TaskHandle<?>> handles = new ArrayList<>();

    Workload(Engines engines, GroupExecutor executor) {
        this(engines, executor, "", () -> "done", handle -> {});
    }

    /**
     * A workload whose keys and ids begin with a prefix, and whose work is {@code code}; each handle is shown to
     * {@code onSubmitted}.
     */
    Workload(
            Engines engines,
            GroupExecutor executor,
            String prefix,
            Callable<String> code,
            Consumer<TaskHandle<?>> onSubmitted) {
        this.engines = engines;
        this.executor = executor;
        this.prefix = prefix;
        this.code = code;
        this.onSubmitted = onSubmitted;
    }

    /** What the routes want of a policy: limits that make them wait. */
    static GroupPolicy.Builder policy() {
        return GroupPolicy.builder()
                .globalMaxInFlight(2)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .pattern("*" + FULL, GroupLimits.unset().withQueueThreshold(0));
    }

    /** One way on which work starts, waits or ends. */
    @SuppressWarnings("ImmutableEnumChecker") // method references
    enum Route {
        STARTED_AT_ONCE(Workload::startAtOnce),
        STARTED_BY_ITS_PREDECESSOR(Workload::startByPredecessor),
        STARTED_IN_ITS_TURN(Workload::startInTurn),
        STARTED_BY_A_LARGER_LIMIT(Workload::startByLargerLimit),
        STARTED_BY_A_RESUME(Workload::startByResume),
        STARTED_ON_LENT_PERMITS(w -> w.lend("a", "a")),
        STARTED_ON_A_LENT_GLOBAL_PERMIT(w -> w.lend("a", "b")),
        A_STAGE(Workload::completeStage),
        A_STAGE_THAT_IS_CANCELLED(Workload::cancelStage),
        AN_ASYNCHRONOUS_PERMIT(Workload::acquireLater),
        CALLERS(Workload::call),
        TIMED_OUT(Workload::timeOut),
        REJECTED(Workload::reject),
        CANCELLED_IN_THE_QUEUE(Workload::cancelQueued),
        CANCELLED_WHILE_IT_RUNS(Workload::cancelRunning),
        ENDED_WITH_ITS_GROUP(Workload::endGroup),
        A_BATCH(Workload::executeAll),
        A_VIEW(Workload::useView),
        EVICTED(Workload::evict),
        DRAINED(Workload::drain),
        SHUT_DOWN(Workload::shutDown);

        private final Drive drive;

        Route(Drive drive) {
            this.drive = drive;
        }

        /** Whether the executor takes no more work after it. */
        boolean isLast() {
            return this == DRAINED || this == SHUT_DOWN;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private interface Drive {
        void along(Workload workload) throws Exception;
    }

    /** Takes one route, on a virtual thread, to the end of all its work. */
    void take(Route route) throws Exception {
        Deadline.within(() -> {
            route.drive.along(this);
            return null;
        });
        for (TaskHandle<?> handle : handles) {
            Deadline.until(() -> route + ": " + handle + " is done", handle::isDone);
        }
    }

    /** Takes all routes after which the executor goes on. */
    void takeAll() throws Exception {
        for (Route route : Route.values()) {
            if (!route.isLast()) {
                take(route);
            }
        }
    }

    /** Every task so far. */
    List<TaskHandle<?>> handles() {
        return handles;
    }

    /** Shows that the executor works: a task of each group that the routes use runs. */
    static void requireWorking(GroupExecutor executor) throws Exception {
        for (String key : List.of("a", "b", "c")) {
            TaskHandle<String> handle = executor.submit(key, "after", () -> "works");
            Deadline.until("a task runs after the fault", handle::isDone);
            if (!"works".equals(handle.await().value())) {
                throw new AssertionError("after the fault: " + handle.await());
            }
        }
    }

    // ---------------------------------------------------------------- the routes

    private String key(String name) {
        return prefix + name;
    }

    private TaskHandle<String> submit(String name) {
        return submit(name, code);
    }

    private TaskHandle<String> submit(String name, Callable<String> work) {
        return add(executor.submit(key(name), prefix + "task-" + handles.size(), work));
    }

    private <T> TaskHandle<T> add(TaskHandle<T> handle) {
        handles.add(engines.watch(executor, handle));
        onSubmitted.accept(handle);
        return handle;
    }

    /** A permit that needs no thread of a task. */
    private GroupPermit hold(String name) throws Exception {
        return executor.acquireAsync(key(name)).toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    private static void end(Caller<?> caller) {
        Deadline.until("the caller is back", caller::isDone);
    }

    private void startAtOnce() {
        submit("a");
    }

    private void startByPredecessor() throws Exception {
        GroupPermit permit = hold("a");
        submit("a");
        submit("a");
        submit("a");
        permit.close();
    }

    private void startInTurn() throws Exception {
        GroupPermit one = hold("x");
        GroupPermit other = hold("y");
        submit("a");
        submit("b");
        submit("c");
        submit("a");
        one.close();
        other.close();
    }

    private void startByLargerLimit() throws Exception {
        GroupPermit permit = hold("a");
        submit("a");
        submit("a");
        // Told to the witness by the stats: it only grows while anything starts.
        executor.setLimits(key("a"), GroupLimits.unset().withMaxConcurrency(3));
        permit.close();
        awaitHandles();
        executor.resetLimits(key("a"));
    }

    private void startByResume() {
        executor.pause(key("a"));
        submit("a");
        submit("a");
        executor.resume(key("a"));
    }

    private void lend(String lender, String borrower) throws Exception {
        GroupPermit other = hold("x");
        submit(lender, () -> {
            TaskHandle<String> inner = executor.submit(key(borrower), prefix + "inner", code);
            return engines.witness(executor).waiting(key(borrower), () -> {
                inner.join();
                return "back";
            });
        });
        awaitHandles();
        other.close();
    }

    private void completeStage() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        submitAsync(() -> {
            code.call();
            return stage;
        });
        Caller<Boolean> completer = Caller.start(() -> stage.complete("done"));
        end(completer);
    }

    private void cancelStage() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        Gate gate = new Gate();
        TaskHandle<String> handle = submitAsync(() -> {
            gate.open();
            return stage;
        });
        Deadline.until("its code runs, or never will", () -> gate.isOpen() || handle.isDone());
        handle.cancel(true);
    }

    private TaskHandle<String> submitAsync(Callable<CompletionStage<String>> work) {
        return add(executor.submitAsync(key("a"), prefix + "stage-" + handles.size(), work));
    }

    private void acquireLater() throws Exception {
        GroupPermit permit = hold("a");
        CompletableFuture<GroupPermit> second = executor.acquireAsync(key("a")).toCompletableFuture();
        CompletableFuture<GroupPermit> cancelled =
                executor.acquireAsync(key("a")).toCompletableFuture();
        CompletableFuture<GroupPermit> third = executor.acquireAsync(key("a")).toCompletableFuture();
        cancelled.cancel(true);
        permit.close();
        second.get(Deadline.SECONDS, TimeUnit.SECONDS).close();
        third.get(Deadline.SECONDS, TimeUnit.SECONDS).close();
    }

    private void call() throws Exception {
        GroupPermit permit = hold("a");
        List<Caller<?>> callers = List.of(
                Caller.start(() -> executor.call(key("a"), code)),
                Caller.start(() -> executor.call(key("a"), prefix + "call", Deadline.LONG, code)),
                Caller.start(() -> {
                    executor.acquire(key("a")).close();
                    return null;
                }),
                Caller.start(() -> {
                    executor.tryAcquire(key("a"), Deadline.LONG).orElseThrow().close();
                    return null;
                }));
        Deadline.until(
                "all wait", () -> executor.groupStats(key("a")).orElseThrow().queued() == callers.size());
        executor.tryAcquire(key("a"), Duration.ZERO).ifPresent(GroupPermit::close);
        permit.close();
        callers.forEach(Workload::end);
    }

    private void timeOut() throws Exception {
        GroupPermit permit = hold("a");
        add(executor.submit(new GroupTask<>(key("a"), prefix + "late", code).withQueueTimeout(Duration.ofMillis(1))));
        executor.tryAcquire(key("a"), Duration.ofMillis(1)).ifPresent(GroupPermit::close);
        awaitHandles();
        permit.close();
    }

    private void reject() throws Exception {
        GroupPermit permit = hold(FULL);
        submit(FULL);
        add(executor.submit(new GroupTask<>(key(FULL), prefix + "hasty", code).withQueueTimeout(Duration.ZERO)));
        end(Caller.start(() -> executor.call(key(FULL), code)));
        permit.close();
    }

    private void cancelQueued() throws Exception {
        GroupPermit permit = hold("a");
        TaskHandle<String> first = submit("a");
        TaskHandle<String> second = submit("a");
        first.cancel(true);
        second.toCompletableFuture().cancel(false);
        permit.close();
    }

    private void cancelRunning() {
        Gate gate = new Gate();
        TaskHandle<String> handle = submit("a", gate.then("no"));
        Deadline.until("it runs, or never will", () -> gate.arrived() == 1 || handle.isDone());
        handle.cancel(true);
    }

    private void endGroup() throws Exception {
        GroupPermit permit = hold("a");
        submit("a");
        submit("a");
        CompletableFuture<GroupPermit> waiting = executor.acquireAsync(key("a")).toCompletableFuture();
        Caller<String> caller = Caller.start(() -> executor.call(key("a"), code));
        long tasks = handles.stream().filter(handle -> !handle.isDone()).count();
        Deadline.until(
                "all wait", () -> executor.groupStats(key("a")).orElseThrow().queued() == tasks + 2);
        executor.shutdownGroup(key("a"));
        Deadline.until("it has ended", waiting::isDone);
        end(caller);
        permit.close();
    }

    private void executeAll() {
        List<GroupTask<String>> tasks = List.of(
                new GroupTask<>(key("a"), prefix + "1", code),
                new GroupTask<>(key("a"), prefix + "2", code),
                new GroupTask<>(key("b"), prefix + "3", code));
        Caller<?> caller = Caller.start(() -> executor.executeAll(tasks));
        end(caller);
    }

    private void useView() throws Exception {
        ExecutorService view = executor.asExecutorService(key("a"));
        Caller<?> caller = Caller.start(() -> {
            view.invokeAll(List.of(code, code));
            return view.invokeAny(List.of(code, code));
        });
        end(caller);
        try {
            Future<?> unasked = view.submit(code);
            Deadline.until("done", unasked::isDone);
        } catch (RejectedExecutionException e) {
            // A fault may let nothing in.
        }
        view.shutdown();
        if (!view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the view has not ended");
        }
    }

    private void evict() throws Exception {
        submit("a");
        awaitHandles();
        executor.evictGroup(key("a"));
    }

    private void drain() throws Exception {
        GroupPermit permit = hold("a");
        submit("a");
        submit("b");
        Caller<Boolean> drainer = Caller.start(() -> executor.shutdown(Deadline.LONG));
        Deadline.until("it drains", executor::isShutdown);
        permit.close();
        end(drainer);
        awaitTermination();
    }

    private void shutDown() throws Exception {
        GroupPermit permit = hold("a");
        submit("a");
        submit("a");
        submit("b", new Gate().then("no"));
        CompletableFuture<GroupPermit> waiting = executor.acquireAsync(key("a")).toCompletableFuture();
        executor.shutdown();
        Deadline.until("it has ended", waiting::isDone);
        permit.close();
        awaitTermination();
    }

    private void awaitTermination() throws Exception {
        if (!executor.awaitTermination(Deadline.LONG)) {
            throw new AssertionError("the executor has not ended");
        }
    }

    private void awaitHandles() {
        handles.forEach(handle -> Deadline.until(() -> handle + " is done", handle::isDone));
    }
}
