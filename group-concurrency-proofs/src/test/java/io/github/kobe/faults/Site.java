package io.github.kobe.faults;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.TaskHandle;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Where a {@link Ways way} is taken: an executor, and all that was let into it so far. What a step may fail with, how
 * time goes by and what is waited for is up to the fault, which overrides those methods.
 */
public class Site {

    protected final GroupExecutor executor;
    private final String prefix;
    private final Callable<String> code;
    private final AtomicInteger ids = new AtomicInteger();
    private final Queue<Object> kept = new ConcurrentLinkedQueue<>();
    private final Queue<Caller<?>> callers = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<GroupPermit>> held = new ConcurrentLinkedQueue<>();

    public Site(GroupExecutor executor) {
        this(executor, "", () -> "done");
    }

    /** A site where keys and ids begin with {@code prefix}, and tasks do what {@code code} says. */
    protected Site(GroupExecutor executor, String prefix, Callable<String> code) {
        this.executor = executor;
        this.prefix = prefix;
        this.code = code;
    }

    /** One thing that is done with the executor. */
    public interface Step {
        Object take() throws Exception;
    }

    // ---------------------------------------------------------------- what a fault may see otherwise

    /** Takes a step that the way itself wants to succeed. */
    protected Object step(Step step) throws Exception {
        return step.take();
    }

    /** Waits for what comes without anybody's help, unless a fault forbids it. */
    protected void await(String what, BooleanSupplier condition) {
        Deadline.until(what, condition);
    }

    /** Waits until all that was let in has ended, though nobody gives anything back: its time is up. */
    protected void awaitTimeOuts(Duration time) {
        Deadline.until(() -> "its time is up: " + kept, this::isAllDone);
    }

    /** Lets tasks at a gate end. */
    protected void open(Gate gate) {
        gate.open();
    }

    /** Lets time go by that nobody waits for. */
    protected void timePasses(Duration time) throws Exception {}

    /** Waits until nobody runs in the groups, as far as the fault lets them come. */
    protected void calm() {
        Deadline.until(() -> "calm: " + executor.stats(), () -> {
            closeGranted();
            return executor.stats().running() == 0;
        });
    }

    /** Waits for work of a group, inside a task or a call. */
    protected <T> T waiting(String name, Callable<T> wait) throws Exception {
        return wait.call();
    }

    /** What was let in has to end. */
    protected <T> T keep(T letIn) {
        kept.add(letIn);
        return letIn;
    }

    protected void close(GroupPermit permit) {
        permit.close();
    }

    // ---------------------------------------------------------------- what ways are made of

    final GroupExecutor executor() {
        return executor;
    }

    final String key(String name) {
        return prefix + name;
    }

    final String id() {
        return prefix + ids.incrementAndGet();
    }

    final Callable<String> code() {
        return code;
    }

    final ExecutorService view(String name) {
        return keep(executor.asExecutorService(key(name)));
    }

    final TaskHandle<String> submitted(String name) {
        return submitted(name, code);
    }

    final TaskHandle<String> submitted(String name, Callable<String> work) {
        return keep(executor.submit(key(name), id(), work));
    }

    final CompletableFuture<GroupPermit> asked(String name) {
        return keep(executor.acquireAsync(key(name)).toCompletableFuture());
    }

    public final void submit(String name) throws Exception {
        submit(name, code);
    }

    public final void submit(String name, Callable<String> work) throws Exception {
        step(() -> submitted(name, work));
    }

    /** Takes a permit, for which no thread is needed, until {@link #release}. */
    final void hold(String name) throws Exception {
        step(() -> held.add(executor.acquireAsync(key(name)).toCompletableFuture()));
        await("a permit of " + name, () -> {
            closeGranted();
            return held.stream().allMatch(CompletableFuture::isDone);
        });
    }

    /** Takes a permit as {@link #hold} does; {@return it, or {@code null} if it couldn't be had} */
    final GroupPermit holdOne(String name) throws Exception {
        int before = held.size();
        hold(name);
        CompletableFuture<GroupPermit> last =
                held.stream().skip(before).findFirst().orElse(null);
        return last == null || !last.isDone() || last.isCompletedExceptionally() ? null : last.join();
    }

    /** What is done under a permit that is open. */
    interface Under {
        Object at(GroupPermit permit) throws Exception;
    }

    /** Does something under a permit that it takes. */
    final Object under(String name, Under use) throws Exception {
        GroupPermit permit = executor.acquire(key(name));
        return with(permit, () -> use.at(permit));
    }

    /** Takes a step that gives nothing. */
    final void act(Consumer<GroupExecutor> act) throws Exception {
        step(() -> {
            act.accept(executor);
            return null;
        });
    }

    /** Does something under a permit. */
    final <T> T with(GroupPermit permit, Callable<T> inside) throws Exception {
        try {
            return inside.call();
        } finally {
            close(permit);
        }
    }

    /** Gives back all that is held, and what was to be held and comes late. */
    final void release() {
        kept.addAll(held);
        held.clear();
        closeGranted();
    }

    /** Closes the permits that were asked for and are there. */
    protected final void closeGranted() {
        for (Object each : kept) {
            if (each instanceof CompletableFuture<?> future
                    && future.isDone()
                    && !future.isCompletedExceptionally()
                    && future.join() instanceof GroupPermit permit) {
                close(permit);
            }
        }
    }

    /** Takes a step on a thread of its own, which may block there. */
    final Caller<?> called(Step step) {
        Caller<?> caller = Caller.start(() -> step(step));
        callers.add(caller);
        return caller;
    }

    /** Waits until a caller blocks where it waits, or needs no more. */
    final void awaitBlocked(Caller<?> caller) {
        await("the caller waits", () -> caller.isDone() || Caller.isBlocked(caller.thread()));
    }

    final void awaitCallers() {
        await("the callers are back", () -> callers.stream().allMatch(Caller::isDone));
    }

    final void awaitDone() {
        await("all is done", this::isAllDone);
    }

    private boolean isAllDone() {
        boolean done = kept.stream().allMatch(Site::isDone);
        closeGranted(); // after it, or what is granted in between stays open
        return done;
    }

    private static boolean isDone(Object letIn) {
        return switch (letIn) {
            case TaskHandle<?> handle -> handle.isDone();
            case CompletionStage<?> stage -> stage.toCompletableFuture().isDone();
            case Future<?> future -> future.isDone();
            case ExecutorService view -> view.isTerminated() || !view.isShutdown();
            default -> throw new AssertionError(letIn);
        };
    }

    // ---------------------------------------------------------------- the end

    public final List<TaskHandle<?>> handles() {
        return kept.stream()
                .filter(TaskHandle.class::isInstance)
                .<TaskHandle<?>>map(TaskHandle.class::cast)
                .toList();
    }

    /** Lets go of all, and waits for the end of all that was let in; {@return how the callers ended} */
    public final List<Caller<?>> end() throws Exception {
        if (!executor.isShutdown()) {
            executor.resume(key(Ways.PAUSED_KEY));
        }
        release();
        Deadline.until("the callers are back", () -> {
            closeGranted();
            return callers.stream().allMatch(Caller::isDone);
        });
        Deadline.until(() -> "all that was let in is done: " + kept, this::isAllDone); // also what callers brought
        Deadline.until(() -> "all is back: " + executor.stats(), () -> {
            closeGranted();
            return executor.stats().inFlight() == 0;
        });
        if (executor.isShutdown() && !executor.awaitTermination(Deadline.LONG)) {
            throw new AssertionError("the executor has not ended");
        }
        return List.copyOf(callers);
    }

    /** Shows that there is room in each group, at the latest when one that lacked a thread, or memory, goes on again. */
    public static void requireRoom(GroupExecutor executor) {
        for (String key : executor.groupKeys()) {
            Deadline.until(() -> "there is room in " + executor.groupStats(key), () -> hasRoom(executor, key));
        }
    }

    private static boolean hasRoom(GroupExecutor executor, String key) {
        try (GroupPermit permit = executor.tryAcquire(key, Duration.ZERO).orElse(null)) {
            return permit != null;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
