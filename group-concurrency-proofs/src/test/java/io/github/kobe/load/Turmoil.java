package io.github.kobe.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Witness;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Everything at once, at random, on one executor: many threads submit, call, acquire, cancel, interrupt, wait for their own
 * work, close what others hold and use keys that never come back, while another one resizes, pauses, evicts and shuts down
 * groups and switches the global limit. It ends with the audit, I1 to I7.
 *
 * <p>It is one large class because each operation is a few lines, and all share the keys, the witness and the dice.
 */
final class Turmoil {

    private static final int WORKERS = 8;
    private static final int STEPS = 120;
    private static final List<RejectionPolicy> POLICIES = List.of(RejectionPolicy.values());

    enum Mix {
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

    enum Ending {
        QUIET,
        DRAIN,
        SHUTDOWN
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
    static final class Plan {

        private final Mix mix;
        private final List<String> keys = new ArrayList<>();
        private final List<Limits> configured = new ArrayList<>();
        private final GroupPolicy policy;

        Plan(Mix mix, Random random) {
            this.mix = mix;
            policy = policy(random);
        }

        Mix mix() {
            return mix;
        }

        GroupPolicy policy() {
            return policy;
        }

        private GroupPolicy policy(Random random) {
            GroupPolicy.Builder builder = GroupPolicy.builder()
                    .rejectionPolicy(POLICIES.get(random.nextInt(POLICIES.size())))
                    .maxIdleGroups(List.of(0, 2, 1_000).get(random.nextInt(3)))
                    // For keys that are used once: the audit fills many of them, one stage after the other.
                    .defaultMaxInFlightPerGroup(2);
            if (random.nextInt(4) == 0) {
                builder.rejectionHandler(new RandomHandler());
            }
            if (mix.isGlobal()) {
                builder.globalMaxInFlight(1 + random.nextInt(6));
            }
            if (random.nextInt(4) == 0) {
                builder.globalQueueThreshold(random.nextInt(40));
            }
            int groups = 1 + random.nextInt(8);
            for (int i = 0; i < groups; i++) {
                int concurrency = 1 + random.nextInt(4);
                int inFlight = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(6);
                keys.add("group-" + i);
                configured.add(new Limits(concurrency, inFlight));
                GroupLimits limits = GroupLimits.unset()
                        .withMaxConcurrency(concurrency)
                        .withMaxInFlight(inFlight)
                        .withWeight(1 + random.nextInt(4));
                if (random.nextInt(3) == 0) {
                    limits = limits.withQueueThreshold(random.nextInt(30));
                }
                if (random.nextInt(4) == 0) {
                    limits = limits.withQueueTimeout(Duration.ofNanos(100_000 + random.nextInt(4_000_000)));
                }
                builder.pattern("group-" + i, limits);
            }
            return builder.build();
        }
    }

    private final Plan plan;
    private final Mix mix;
    private final long seed;
    private final Ending ending;
    private final List<String> keys;
    private final Engines engines;
    private final GroupExecutor executor;
    private final Witness witness;
    private final AtomicInteger ids = new AtomicInteger();
    private final Queue<TaskHandle<?>> recent = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<String>> openStages = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<Void>> acquired = new ConcurrentLinkedQueue<>();
    private volatile boolean workersDone;
    private volatile boolean audited;

    /**
     * On an executor that {@code engines} has made by the plan's policy; it may have lived through others before.
     *
     * @param seed settles what is asked for, not how threads interleave
     */
    Turmoil(Engines engines, GroupExecutor executor, Plan plan, Ending ending, long seed) {
        this.engines = engines;
        this.executor = executor;
        this.plan = plan;
        this.mix = plan.mix;
        this.keys = plan.keys;
        this.ending = ending;
        this.seed = seed;
        witness = engines.witness(executor);
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            Limits limits = plan.configured.get(i);
            witness.changing(key, limits.maxConcurrency, limits.maxInFlight, () -> executor.resetLimits(key));
        }
        witness.changingGlobal(plan.policy.globalMaxInFlight(), () -> {});
    }

    /** Lets it all happen; returns when all have ended and the audit found nothing. */
    void run() throws Exception {
        List<Caller<Boolean>> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            Random random = new Random(seed * 31 + i);
            Callable<Boolean> work = () -> work(random);
            workers.add(i % 4 == 0 ? Caller.startPlatform(work) : Caller.start(work));
        }
        Caller<Boolean> control = Caller.start(() -> control(new Random(seed * 31 - 1)));
        Caller<Boolean> stages = Caller.start(this::completeStages);
        try {
            for (Caller<Boolean> worker : workers) {
                worker.result();
            }
            workersDone = true;
            control.result();
            if (ending == Ending.QUIET && executor.awaitQuiet(Deadline.LONG)) {
                witness.settle();
            }
            engines.audit(executor);
            Deadline.until("no waiter is left", () -> acquired.stream().allMatch(CompletableFuture::isDone));
        } finally {
            workersDone = true;
            audited = true;
        }
        stages.result();
    }

    // ------------------------------------------------------------ the workers

    private boolean work(Random random) throws Exception {
        for (int i = 0; i < STEPS; i++) {
            try {
                step(random);
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
        }
        return true;
    }

    private void step(Random random) throws Exception {
        int group = random.nextInt(keys.size());
        String key = keys.get(group);
        switch (random.nextInt(18)) {
            case 0, 1, 2 -> submit(group, 0, random);
            case 3 -> submitAsync(group, random);
            case 4 -> call(group, 0, random, someTime(random));
            case 5 -> hold(executor.acquire(key), group, random);
            case 6 -> {
                var permit = executor.tryAcquire(key, someTime(random));
                if (permit.isPresent()) {
                    hold(permit.get(), group, random);
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
            case 10 -> submit(group, 0, random).await(random.nextInt(1_000), TimeUnit.MICROSECONDS);
            case 11 -> closeElsewhere(key, random);
            case 12 -> useOnce(random);
            case 13 -> useView(group, random);
            case 14 -> executeAll(random);
            case 15 -> executor.awaitQuiet(Duration.ofNanos(random.nextInt(500_000)));
            case 16 -> {
                var unused = submit(group, 0, random).toCompletableFuture().whenComplete((result, error) -> {
                    throw new IntendedError();
                });
            }
            default -> submit(group, 0, random).toCompletableFuture().cancel(true);
        }
    }

    private TaskHandle<String> submit(int group, int depth, Random random) {
        String id = "task-" + ids.incrementAndGet();
        Random own = new Random(random.nextLong());
        GroupTask<String> task = new GroupTask<>(keys.get(group), id, () -> body(group, depth, own));
        if (random.nextInt(8) == 0) {
            task = task.withQueueTimeout(someTime(random));
        }
        TaskHandle<String> handle = witness.watch(executor.submit(task));
        if (random.nextInt(4) == 0) {
            recent.add(handle);
        }
        return handle;
    }

    private void submitAsync(int group, Random random) {
        String key = keys.get(group);
        Random own = new Random(random.nextLong());
        TaskHandle<String> handle =
                executor.submitAsync(key, "async-" + ids.incrementAndGet(), witness.async(key, () -> {
                    body(group, 1, own);
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    openStages.add(stage);
                    return stage;
                }));
        witness.watch(handle);
        if (random.nextInt(3) == 0) {
            recent.add(handle);
        }
    }

    private String call(int group, int depth, Random random, Duration maxWait) throws Exception {
        String key = keys.get(group);
        return executor.call(
                key, "call-" + ids.incrementAndGet(), maxWait, witness.inside(key, () -> body(group, depth, random)));
    }

    private void interruptedCall(int group, Random random) throws Exception {
        Caller<String> caller = Caller.start(() -> call(group, 0, random, GroupLimits.NO_TIMEOUT));
        doSomething(new Random(seed));
        caller.interrupt();
        caller.result();
    }

    private void hold(GroupPermit permit, int group, Random random) throws Exception {
        Witness.Stay stay = witness.enter(permit.groupKey());
        try {
            body(group, 0, random);
        } finally {
            stay.close();
            permit.close();
        }
    }

    /** Another thread than its own closes a permit, and both try to close it again. */
    private void closeElsewhere(String key, Random random) throws Exception {
        GroupPermit permit = executor.acquire(key);
        Witness.Stay stay = witness.enter(key);
        doSomething(random);
        stay.close();
        Caller<Boolean> closer = Caller.start(() -> {
            permit.close();
            permit.close();
            return true;
        });
        permit.close();
        closer.result();
    }

    /** A key that nobody has used before or will again, and that looks like trouble. */
    private void useOnce(Random random) throws Exception {
        String key = "once\r\n%s{}" + ids.incrementAndGet() + "\u0000".repeat(random.nextInt(3));
        executor.call(key, witness.inside(key, () -> {
            doSomething(random);
            return "done";
        }));
    }

    private void useView(int group, Random random) throws Exception {
        ExecutorService view = executor.asExecutorService(keys.get(group));
        Future<String> future = view.submit(() -> body(group, 2, new Random(random.nextLong())));
        view.execute(() -> doSomething(random));
        switch (random.nextInt(3)) {
            case 0 -> future.cancel(true);
            case 1 -> view.shutdownNow();
            default -> {}
        }
        view.shutdown();
    }

    private void executeAll(Random random) {
        List<GroupTask<String>> tasks = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            int group = random.nextInt(keys.size());
            Random own = new Random(random.nextLong());
            tasks.add(new GroupTask<>(keys.get(group), "all-" + ids.incrementAndGet(), () -> body(group, 2, own)));
        }
        if (random.nextInt(4) == 0) {
            Thread.currentThread().interrupt();
        }
        assertThat(executor.executeAll(tasks)).hasSameSizeAs(tasks);
    }

    private void acquireAsync(String key, Random random) {
        Random own = new Random(random.nextLong());
        CompletableFuture<GroupPermit> future = executor.acquireAsync(key).toCompletableFuture();
        acquired.add(future.thenAccept(permit -> {
            Witness.Stay stay = witness.enterDetached(key);
            doSomething(own);
            stay.close();
            permit.close();
        }));
        if (random.nextInt(3) == 0) {
            future.cancel(false);
        }
    }

    /**
     * What runs inside a group. It waits only for work of its own group or of a group that comes later, so that groups
     * never wait for each other in a circle, which nothing could break.
     */
    private String body(int group, int depth, Random random) throws Exception {
        doSomething(random);
        int later = group + random.nextInt(keys.size() - group);
        switch (random.nextInt(depth < 3 ? 14 : 6)) {
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
            case 10 -> submit(later, depth + 1, random).await(random.nextInt(1_000), TimeUnit.MICROSECONDS);
            case 11, 12 -> {
                return call(later, depth + 1, random, someTime(random));
            }
            case 13 -> {
                GroupPermit permit = executor.acquire(keys.get(group));
                hold(permit, group, random);
            }
            default -> doSomething(random);
        }
        return "done";
    }

    private void doSomething(Random random) {
        switch (random.nextInt(3)) {
            case 0 -> LockSupport.parkNanos(random.nextInt(200_000));
            case 1 -> {
                for (int i = random.nextInt(500); i > 0; i--) {
                    Thread.onSpinWait();
                }
            }
            default -> {}
        }
    }

    private Duration someTime(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ZERO;
            case 1 -> Duration.ofNanos(random.nextInt(1_000_000));
            default -> GroupLimits.NO_TIMEOUT;
        };
    }

    // ------------------------------------------------------------ stages and control

    private boolean completeStages() throws Exception {
        Random random = new Random(seed * 31 - 2);
        while (!audited) {
            CompletableFuture<String> stage = openStages.poll();
            doSomething(random);
            if (stage == null) {
                LockSupport.parkNanos(50_000);
            } else if (random.nextInt(4) == 0) {
                stage.completeExceptionally(new Intended());
            } else {
                stage.complete("stage");
            }
        }
        return true;
    }

    private boolean control(Random random) {
        for (int i = 0; !workersDone; i++) {
            LockSupport.parkNanos(random.nextInt(1_000_000));
            if (i == 20 && ending == Ending.DRAIN) {
                executor.shutdown(Duration.ofMillis(random.nextInt(200)));
            } else if (i == 20 && ending == Ending.SHUTDOWN) {
                executor.shutdown();
            } else {
                change(random);
            }
        }
        keys.forEach(executor::resume);
        return true;
    }

    private void change(Random random) {
        int group = random.nextInt(keys.size());
        String key = keys.get(group);
        Limits before = plan.configured.get(group);
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                int concurrency = 1 + random.nextInt(6);
                int inFlight = 1 + random.nextInt(8);
                GroupLimits limits =
                        GroupLimits.unset().withMaxConcurrency(concurrency).withMaxInFlight(inFlight);
                witness.changing(key, concurrency, inFlight, () -> executor.setLimits(key, limits));
            }
            case 2 -> witness.changing(key, before.maxConcurrency, before.maxInFlight, () -> executor.resetLimits(key));
            case 3 -> witness.changing(key, before.maxConcurrency, before.maxInFlight, () -> executor.evictGroup(key));
            case 4 -> {
                executor.pause(key);
                LockSupport.parkNanos(random.nextInt(300_000));
                executor.resume(key);
            }
            case 5 -> executor.shutdownGroup(key);
            case 6 -> {
                if (mix.isGlobal()) {
                    int most = random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(6);
                    GroupPolicy next = engines.witnessed(
                            executor,
                            plan.policy.toBuilder().globalMaxInFlight(most).build());
                    witness.changingGlobal(most, () -> executor.updatePolicy(next));
                }
            }
            default -> {
                assertThat(executor.groupStats(key).map(GroupStats::queued).orElse(0))
                        .isNotNegative();
                assertThat(executor.stats().queued()).isNotNegative();
            }
        }
    }

    /** Supplies a result, or runs the task, or fails in either way. */
    private static final class RandomHandler implements RejectionHandler {

        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
            return switch (calls.incrementAndGet() % 4) {
                case 0 -> throw new IntendedError();
                case 1 -> null;
                case 2 -> {
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
