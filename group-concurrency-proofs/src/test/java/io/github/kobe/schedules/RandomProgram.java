package io.github.kobe.schedules;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.Rate;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Witness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Everything at once, at random, on one executor: threads submit, call, acquire, cancel, interrupt, wait for their own work,
 * close each other's permits and use keys that never come back, while another one resizes, pauses, evicts and shuts down
 * groups and changes the policy.
 *
 * <p>The program is the same in each {@link World}. It is one large class because each operation is a few lines, and all
 * share the keys, the witness and the dice.
 */
public final class RandomProgram {

    private static final List<RejectionPolicy> POLICIES = List.of(RejectionPolicy.values());

    /** What is asked for. */
    public enum Mix {
        GROUPS_ALONE,
        A_GLOBAL_LIMIT,
        WAITS_FOR_OWN_WORK,
        WAITS_FOR_OWN_WORK_UNDER_A_GLOBAL_LIMIT;

        private boolean isGlobal() {
            return this == A_GLOBAL_LIMIT || this == WAITS_FOR_OWN_WORK_UNDER_A_GLOBAL_LIMIT;
        }

        private boolean waits() {
            return this == WAITS_FOR_OWN_WORK || this == WAITS_FOR_OWN_WORK_UNDER_A_GLOBAL_LIMIT;
        }
    }

    /** How the executor ends. */
    public enum Ending {
        QUIET,
        DRAIN,
        SHUTDOWN;

        /** Draws one. */
        public static Ending any(SplittableRandom random) {
            int dice = random.nextInt(10);
            return dice < 6 ? QUIET : dice < 8 ? DRAIN : SHUTDOWN;
        }
    }

    /** How much is asked for. */
    public record Size(Range groups, int limit, int queue, Range workers, Range steps, int depth, Range changes) {

        /** As much as a schedule can be read of. */
        public static final Size SMALL =
                new Size(new Range(2, 4), 3, 6, new Range(2, 4), new Range(2, 6), 2, new Range(3, 8));

        /** As much as keeps real threads busy for some milliseconds. */
        public static final Size LARGE =
                new Size(new Range(1, 8), 4, 40, new Range(8, 8), new Range(120, 120), 3, new Range(20, 40));
    }

    /** A number between two. */
    public record Range(int least, int most) {
        private int any(SplittableRandom random) {
            return least + random.nextInt(most - least + 1);
        }
    }

    /** What a task throws on purpose. */
    private static final class Intended extends Exception {
        private static final long serialVersionUID = 1L;

        private Intended() {
            super("intended", null, false, false);
        }
    }

    /** What a task throws on purpose where only an Error will do. */
    private static final class IntendedError extends Error {
        private static final long serialVersionUID = 1L;

        private IntendedError() {
            super("intended", null, false, false);
        }
    }

    private record Limits(int maxConcurrency, int maxInFlight) {}

    /** Groups and their limits, and the policy that says so. */
    public static final class Plan {

        private final Mix mix;
        private final Size size;
        private final List<String> keys = new ArrayList<>();
        private final List<Limits> configured = new ArrayList<>();
        private final GroupPolicy policy;

        public Plan(Mix mix, Size size, SplittableRandom random) {
            this.mix = mix;
            this.size = size;
            policy = policy(random);
        }

        public Mix mix() {
            return mix;
        }

        public List<String> keys() {
            return keys;
        }

        public GroupPolicy policy() {
            return policy;
        }

        private GroupPolicy policy(SplittableRandom random) {
            GroupPolicy.Builder builder = GroupPolicy.builder()
                    .rejectionPolicy(POLICIES.get(random.nextInt(POLICIES.size())))
                    .maxIdleGroups(List.of(0, 1, 1_000).get(random.nextInt(3)));
            if (random.nextInt(4) == 0) {
                builder.rejectionHandler(new RandomHandler(!mix.waits()));
            }
            if (random.nextInt(4) == 0) {
                builder.idleTimeout(Duration.ofNanos(50_000));
            }
            if (mix.isGlobal()) {
                int most = 1 + random.nextInt(size.limit + 2);
                builder.globalMaxInFlight(most).globalHeadroom(headroom(most, random));
            }
            if (random.nextInt(8) == 0) {
                builder.globalRate(Rate.of(20 + random.nextInt(60), Duration.ofMillis(1)));
            }
            if (random.nextInt(5) == 0) {
                builder.globalQueueThreshold(random.nextInt(size.queue));
            }
            for (int i = size.groups.any(random); i > 0; i--) {
                builder.pattern("group-" + keys.size() + "*", limits(random));
                keys.add("group-" + keys.size());
            }
            return builder.build();
        }

        private GroupLimits limits(SplittableRandom random) {
            int concurrency = 1 + random.nextInt(size.limit);
            int inFlight = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(size.limit + 1);
            configured.add(new Limits(concurrency, inFlight));
            GroupLimits limits = GroupLimits.unset()
                    .withMaxConcurrency(concurrency)
                    .withMaxInFlight(inFlight)
                    .withWeight(1 + random.nextInt(3));
            if (mix.isGlobal() && random.nextInt(3) == 0) {
                limits = limits.withGuaranteed(random.nextInt(1 + Math.min(inFlight, size.limit)));
            }
            if (random.nextInt(5) == 0) {
                limits = limits.withRate(Rate.of(4 + random.nextInt(30), Duration.ofMillis(1)));
            }
            if (random.nextInt(4) == 0) {
                limits = limits.withQueueThreshold(random.nextInt(size.queue));
            }
            if (random.nextInt(3) == 0) {
                limits = limits.withQueueTimeout(Duration.ofNanos(10_000 + random.nextInt(2_000_000)));
            }
            return limits;
        }
    }

    private final World world;
    private final GroupExecutor executor;
    private final Witness witness;
    private final Plan plan;
    private final Mix mix;
    private final List<String> keys;
    private final Ending ending;
    private final SplittableRandom random;
    private final AtomicInteger ids = new AtomicInteger();
    private final AtomicInteger workersLeft = new AtomicInteger();
    private final Queue<TaskHandle<?>> recent = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<Void>> acquired = new ConcurrentLinkedQueue<>();
    /** By the control alone. */
    private GroupPolicy policy;

    /** On the executor of a world, whose policy is the plan's; it may have lived through others before. */
    public RandomProgram(World world, Plan plan, Ending ending, SplittableRandom random) {
        this.world = world;
        this.plan = plan;
        this.ending = ending;
        this.random = random;
        executor = world.executor();
        witness = world.witness();
        mix = plan.mix;
        keys = plan.keys;
        policy = plan.policy;
    }

    /** Starts the threads. */
    public void begin() {
        for (int i = 0; i < keys.size(); i++) {
            Limits limits = plan.configured.get(i);
            witness.changing(keys.get(i), limits.maxConcurrency, limits.maxInFlight, () -> {});
        }
        witness.changingGlobal(policy.globalMaxInFlight(), () -> {});
        int workers = plan.size.workers.any(random);
        workersLeft.set(workers);
        for (int i = 0; i < workers; i++) {
            SplittableRandom own = random.split();
            world.actor("worker-" + i, () -> work(own));
        }
        SplittableRandom own = random.split();
        world.actor("control", () -> control(own));
    }

    /** {@return whether nobody waits for a permit any more} */
    public boolean isAnswered() {
        return acquired.stream().allMatch(CompletableFuture::isDone);
    }

    // ---------------------------------------------------------------- the workers

    private void work(SplittableRandom random) throws Exception {
        try {
            boolean goesOn = true;
            for (int steps = plan.size.steps.any(random); steps > 0 && goesOn; steps--) {
                goesOn = isLetIn(() -> step(random));
            }
        } finally {
            workersLeft.decrementAndGet();
        }
    }

    /** Does what may fail on purpose; returns false once the executor is shut down. */
    private boolean isLetIn(World.Act act) throws Exception {
        try {
            act.run();
        } catch (RejectedExecutionException | InterruptedException | Intended expected) {
            Thread.interrupted();
        } catch (IntendedError expected) {
            Thread.interrupted();
        } catch (IllegalStateException e) {
            if (!executor.isShutdown()) {
                throw e;
            }
            return false;
        }
        return true;
    }

    private void step(SplittableRandom random) throws Exception {
        int group = random.nextInt(keys.size());
        String key = keys.get(group);
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> submit(group, 0, random);
            case 3 -> submitAsync(group, random);
            case 4 -> call(group, 0, random, someTime(random));
            case 5 -> hold(executor.acquire(key), group, 0, random);
            case 6 -> {
                var permit = executor.tryAcquire(key, someTime(random));
                if (permit.isPresent()) {
                    hold(permit.get(), group, 0, random);
                }
            }
            case 7 -> acquireAsync(key, random);
            case 8 -> {
                TaskHandle<?> handle = recent.poll();
                if (handle != null) {
                    handle.cancel(random.nextBoolean());
                }
            }
            case 9 -> interruptedCall(group, random);
            case 10 -> submit(group, 0, random).await(random.nextInt(200_000), TimeUnit.NANOSECONDS);
            case 11 -> submit(group, 0, random).toCompletableFuture().cancel(true);
            case 12 -> {
                var unused = submit(group, 0, random).toCompletableFuture().whenComplete((result, error) -> {
                    throw new IntendedError();
                });
            }
            case 13, 14 -> closedByAnother(group, random);
            case 15 -> closedByTwo(key, random);
            case 16 -> executeAll(random);
            case 17 -> useOnce(random);
            case 18 -> useView(group, random);
            default -> executor.awaitQuiet(Duration.ofNanos(random.nextInt(500_000)));
        }
    }

    private GroupTask<String> task(int group, int depth, SplittableRandom random) {
        SplittableRandom own = random.split();
        GroupTask<String> task =
                new GroupTask<>(keys.get(group), "task-" + ids.incrementAndGet(), () -> body(group, depth, own));
        return random.nextInt(6) == 0 ? task.withQueueTimeout(someTime(random)) : task;
    }

    private TaskHandle<String> submit(int group, int depth, SplittableRandom random) {
        return remember(executor.submit(task(group, depth, random)), random);
    }

    private TaskHandle<String> remember(TaskHandle<String> handle, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            recent.add(handle);
        }
        return witness.watch(handle);
    }

    private void submitAsync(int group, SplittableRandom random) {
        String key = keys.get(group);
        SplittableRandom own = random.split();
        var unused = remember(
                executor.submitAsync(key, "async-" + ids.incrementAndGet(), witness.async(key, () -> {
                    body(group, 1, own);
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    SplittableRandom completers = own.split();
                    world.actor("stage", () -> {
                        world.pause(completers);
                        if (completers.nextInt(4) == 0) {
                            stage.completeExceptionally(new Intended());
                        } else {
                            stage.complete("stage");
                        }
                    });
                    return stage;
                })),
                random);
    }

    private String call(int group, int depth, SplittableRandom random, Duration maxWait) throws Exception {
        String key = keys.get(group);
        return executor.call(
                key, "call-" + ids.incrementAndGet(), maxWait, witness.inside(key, () -> body(group, depth, random)));
    }

    private void interruptedCall(int group, SplittableRandom random) {
        SplittableRandom own = random.split();
        Thread caller = world.actor("caller", () -> isLetIn(() -> call(group, 0, own, GroupLimits.NO_TIMEOUT)));
        world.pause(random);
        caller.interrupt();
    }

    private void hold(GroupPermit permit, int group, int depth, SplittableRandom random) throws Exception {
        try {
            permit.call(witness.inside(permit.groupKey(), () -> body(group, depth, random)));
        } finally {
            permit.close();
        }
    }

    /** Its permit is closed at any time, on another thread, and then stays out until it has left. */
    private void closedByAnother(int group, SplittableRandom random) throws Exception {
        GroupPermit permit = executor.acquire(keys.get(group));
        CompletableFuture<Void> closed = permit.call(() -> {
            CompletableFuture<Void> closing = closer(permit, random.split());
            int later = laterThan(group, random);
            if (mix.waits()) {
                witness.mayLendUnseen(keys.get(later));
            }
            witness.underUncounted(keys.get(group), () -> {
                TaskHandle<String> handle = submit(later, 1, random);
                return mix.waits() ? handle.join().value() : call(later, 1, random, someTime(random));
            });
            return closing;
        });
        closed.join();
    }

    /** Its own thread closes a permit, and so does another, twice. */
    private void closedByTwo(String key, SplittableRandom random) throws InterruptedException {
        GroupPermit permit = executor.acquire(key);
        Witness.Stay stay = witness.enter(key);
        world.pause(random);
        stay.close();
        CompletableFuture<Void> closed = closer(permit, random.split());
        permit.close();
        closed.join();
    }

    private CompletableFuture<Void> closer(GroupPermit permit, SplittableRandom random) {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        world.actor("closer", () -> {
            world.pause(random);
            permit.close();
            permit.close();
            closed.complete(null);
        });
        return closed;
    }

    private void acquireAsync(String key, SplittableRandom random) {
        SplittableRandom own = random.split();
        CompletableFuture<GroupPermit> future = executor.acquireAsync(key).toCompletableFuture();
        acquired.add(future.thenAccept(permit -> {
            Witness.Stay stay = witness.enterDetached(key);
            world.pause(own);
            stay.close();
            permit.close();
        }));
        if (random.nextInt(3) == 0) {
            world.pause(random);
            future.cancel(false);
        }
    }

    private void executeAll(SplittableRandom random) {
        List<GroupTask<String>> tasks = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            tasks.add(task(random.nextInt(keys.size()), 1, random));
        }
        Thread caller = Thread.currentThread();
        switch (random.nextInt(4)) {
            case 0 -> caller.interrupt();
            case 1 -> {
                SplittableRandom own = random.split();
                world.actor("interrupter", () -> {
                    world.pause(own);
                    caller.interrupt();
                });
            }
            default -> {}
        }
        int results = executor.executeAll(tasks).size();
        Thread.interrupted();
        expect(results == tasks.size(), results + " results of " + tasks.size() + " tasks");
    }

    /** A key that nobody has used before or will again, and that looks like trouble. */
    private void useOnce(SplittableRandom random) throws Exception {
        String key = "once\r\n%s{}" + ids.incrementAndGet() + "\u0000".repeat(random.nextInt(3));
        executor.call(key, witness.inside(key, () -> {
            world.pause(random);
            return "done";
        }));
    }

    private void useView(int group, SplittableRandom random) {
        ExecutorService view = executor.asExecutorService(keys.get(group));
        SplittableRandom own = random.split();
        SplittableRandom other = random.split();
        Future<String> future = view.submit(() -> body(group, 1, own));
        view.execute(() -> world.pause(other));
        switch (random.nextInt(3)) {
            case 0 -> future.cancel(true);
            case 1 -> view.shutdownNow();
            default -> {}
        }
        view.shutdown();
    }

    /**
     * What runs inside a group. It waits only for work of its own group or of a group that comes later, so that groups
     * never wait for each other in a circle, which nothing could break.
     */
    private String body(int group, int depth, SplittableRandom random) throws Exception {
        world.pause(random);
        int later = laterThan(group, random);
        switch (random.nextInt(depth < plan.size.depth ? 15 : 6)) {
            case 0 -> throw new Intended();
            case 1 -> throw new IntendedError();
            case 2 -> Thread.currentThread().interrupt();
            case 6, 7, 8, 9 -> {
                TaskHandle<String> handle = submit(later, depth + 1, random);
                if (mix.waits()) {
                    GroupResult<String> result =
                            witness.waiting(keys.get(later), random.nextBoolean() ? handle::await : handle::join);
                    return String.valueOf(result.value());
                }
            }
            case 10 -> submit(later, depth + 1, random).await(random.nextInt(200_000), TimeUnit.NANOSECONDS);
            case 11, 12 -> {
                return call(later, depth + 1, random, someTime(random));
            }
            case 13, 14 -> {
                GroupPermit share = shareOf(keys.get(later));
                if (share != null) {
                    hold(share, later, depth + 1, random);
                }
            }
            default -> world.pause(random);
        }
        return "done";
    }

    /** {@return what a call has shared, which has ended since; {@code null}: it was inside a permit that is closed} */
    private @Nullable GroupPermit shareOf(String key) throws Exception {
        return executor.call(key, () -> executor.enclosingPermit(key).orElse(null));
    }

    private int laterThan(int group, SplittableRandom random) {
        return group + random.nextInt(keys.size() - group);
    }

    private static Duration someTime(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ZERO;
            case 1 -> Duration.ofNanos(random.nextInt(200_000));
            default -> GroupLimits.NO_TIMEOUT;
        };
    }

    // ---------------------------------------------------------------- control

    private void control(SplittableRandom random) {
        int least = plan.size.changes.any(random);
        int end = random.nextInt(least);
        boolean large = plan.size.equals(Size.LARGE);
        for (int i = 0; large ? workersLeft.get() > 0 : i < least; i++) {
            world.pause(random);
            if (large) {
                world.park(random.nextInt(1_000_000));
            }
            if (i == end && ending == Ending.DRAIN) {
                executor.shutdown(Duration.ofNanos(random.nextInt(1_000_000)));
            } else if (i == end && ending == Ending.SHUTDOWN) {
                executor.shutdown();
            } else {
                change(random);
            }
        }
    }

    private void change(SplittableRandom random) {
        int group = random.nextInt(keys.size());
        String key = keys.get(group);
        Limits before = plan.configured.get(group);
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                int concurrency = 1 + random.nextInt(plan.size.limit + 2);
                int inFlight = 1 + random.nextInt(plan.size.limit + 3);
                GroupLimits limits = GroupLimits.unset()
                        .withMaxConcurrency(concurrency)
                        .withMaxInFlight(inFlight)
                        .withWeight(1 + random.nextInt(3))
                        .withGuaranteed(random.nextInt(1 + inFlight));
                witness.changing(key, concurrency, inFlight, () -> executor.setLimits(key, limits));
            }
            case 2 -> witness.changing(key, before.maxConcurrency, before.maxInFlight, () -> executor.resetLimits(key));
            case 3 -> witness.changing(key, before.maxConcurrency, before.maxInFlight, () -> executor.evictGroup(key));
            case 4 -> {
                executor.pause(key);
                world.pause(random);
                executor.resume(key);
            }
            case 5 -> executor.shutdownGroup(key);
            case 6, 7 -> changePolicy(random);
            default -> {
                int queued = executor.groupStats(key).map(GroupStats::queued).orElse(0);
                expect(queued >= 0 && executor.stats().queued() >= 0, "fewer than none are queued");
            }
        }
    }

    private void changePolicy(SplittableRandom random) {
        if (mix.isGlobal() && random.nextInt(3) > 0) {
            int most = random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(plan.size.limit + 2);
            policy = policy.toBuilder()
                    .globalMaxInFlight(most)
                    .globalHeadroom(headroom(most, random))
                    .build();
            GroupPolicy next = world.heard(policy);
            witness.changingGlobal(most, () -> executor.updatePolicy(next));
        } else {
            policy = policy.toBuilder().maxIdleGroups(random.nextInt(3)).build();
            executor.updatePolicy(world.heard(policy));
        }
    }

    /** Draws a headroom for a global limit, often none. */
    static int headroom(int globalMaxInFlight, SplittableRandom random) {
        return globalMaxInFlight == Integer.MAX_VALUE || random.nextBoolean()
                ? 0
                : random.nextInt(Math.min(globalMaxInFlight, 3));
    }

    private static void expect(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    /**
     * Supplies a result, or runs the task, or fails in either way. It doesn't run what a task may wait for: that holds
     * permits, lends them to no handler, and the code that runs here would ask for some.
     */
    private static final class RandomHandler implements RejectionHandler {

        private final boolean runsTasks;
        private final AtomicInteger calls = new AtomicInteger();

        private RandomHandler(boolean runsTasks) {
            this.runsTasks = runsTasks;
        }

        @Override
        public GroupResult<?> onRejected(String groupKey, String taskId, Callable<?> task) {
            return switch (calls.incrementAndGet() % (runsTasks ? 4 : 3)) {
                case 0 -> throw new IntendedError();
                case 1 -> null;
                case 3 -> {
                    try {
                        yield GroupResult.success(groupKey, taskId, task.call(), 0, 1);
                    } catch (Exception e) {
                        yield GroupResult.failed(groupKey, taskId, e, 0, 1);
                    }
                }
                default -> GroupResult.rejected(groupKey, taskId);
            };
        }
    }
}
