package io.github.kobe.schedules;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Witness;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Everything at once, at random, in small: a few threads submit, call, acquire, cancel, interrupt, wait for their own
 * work and close each other's permits in two to four groups with small limits, while another one resizes, pauses, evicts
 * and shuts down groups and switches the global limit.
 *
 * <p>Groups wait only for themselves and for later ones, so that there is no circle that nothing could break.
 */
final class RandomProgram extends Scenario {

    private static final List<RejectionPolicy> POLICIES = List.of(RejectionPolicy.values());

    /** What a task throws on purpose. */
    private static final class Intended extends Exception {
        private static final long serialVersionUID = 1L;

        private Intended() {
            super("intended", null, false, false);
        }
    }

    private enum Ending {
        QUIET,
        DRAIN,
        SHUTDOWN
    }

    private record Limits(int maxConcurrency, int maxInFlight) {}

    private final boolean global;
    private final boolean waits;
    private final List<String> keys = new ArrayList<>();
    private final List<Limits> configured = new ArrayList<>();
    private final ArrayDeque<TaskHandle<?>> recent = new ArrayDeque<>();
    private GroupPolicy policy;
    private Ending ending;
    private int ids;

    RandomProgram(Simulation simulation, long seed, boolean global, boolean waits) {
        super(simulation, seed);
        this.global = global;
        this.waits = waits;
    }

    @Override
    void begin() {
        policy = policy();
        start(policy, random.nextInt(3) > 0);
        for (int i = 0; i < keys.size(); i++) {
            witness.changing(keys.get(i), configured.get(i).maxConcurrency, configured.get(i).maxInFlight, () -> {});
        }
        witness.changingGlobal(policy.globalMaxInFlight(), () -> {});
        int dice = random.nextInt(10);
        ending = dice < 6 ? Ending.QUIET : dice < 8 ? Ending.DRAIN : Ending.SHUTDOWN;
        int workers = 2 + random.nextInt(3);
        for (int i = 0; i < workers; i++) {
            SplittableRandom own = random.split();
            actor("worker-" + i, () -> work(own));
        }
        SplittableRandom own = random.split();
        actor("control", () -> control(own));
    }

    private GroupPolicy policy() {
        GroupPolicy.Builder builder = GroupPolicy.builder()
                .rejectionPolicy(POLICIES.get(random.nextInt(POLICIES.size())))
                .maxIdleGroups(List.of(0, 1, 1_000).get(random.nextInt(3)));
        if (random.nextInt(4) == 0) {
            builder.idleTimeout(Duration.ofNanos(50_000));
        }
        if (global) {
            builder.globalMaxInFlight(1 + random.nextInt(5));
        }
        if (random.nextInt(5) == 0) {
            builder.globalQueueThreshold(random.nextInt(6));
        }
        int groups = 2 + random.nextInt(3);
        for (int i = 0; i < groups; i++) {
            int concurrency = 1 + random.nextInt(3);
            int inFlight = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(4);
            keys.add("group-" + i);
            configured.add(new Limits(concurrency, inFlight));
            GroupLimits limits = GroupLimits.unset()
                    .withMaxConcurrency(concurrency)
                    .withMaxInFlight(inFlight)
                    .withWeight(1 + random.nextInt(3));
            if (random.nextInt(4) == 0) {
                limits = limits.withQueueThreshold(random.nextInt(6));
            }
            if (random.nextInt(3) == 0) {
                limits = limits.withQueueTimeout(Duration.ofNanos(10_000 + random.nextInt(2_000_000)));
            }
            builder.pattern("group-" + i, limits);
        }
        return builder.build();
    }

    // ---------------------------------------------------------------- the workers

    private void work(SplittableRandom random) throws Exception {
        for (int steps = 2 + random.nextInt(5); steps > 0; steps--) {
            try {
                step(random);
            } catch (RejectedTaskException | InterruptedException | Intended expected) {
                Thread.interrupted();
            } catch (IllegalStateException e) {
                if (!executor.isShutdown()) {
                    throw e;
                }
                return;
            }
        }
    }

    private void step(SplittableRandom random) throws Exception {
        int group = random.nextInt(keys.size());
        String key = keys.get(group);
        switch (random.nextInt(14)) {
            case 0, 1 -> submit(group, 0, random);
            case 2 -> submitAsync(group, random);
            case 3 -> call(group, 0, random, someTime(random));
            case 4 -> hold(executor.acquire(key), group, 0, random);
            case 5 -> {
                var permit = executor.tryAcquire(key, someTime(random));
                if (permit.isPresent()) {
                    hold(permit.get(), group, 0, random);
                }
            }
            case 6 -> acquireAsync(key, random);
            case 7 -> {
                TaskHandle<?> handle = recent.poll();
                if (handle != null) {
                    handle.cancel(random.nextBoolean());
                }
            }
            case 8 -> interruptedCall(group, random);
            case 9 -> submit(group, 0, random).await(random.nextInt(200_000), TimeUnit.NANOSECONDS);
            case 10 -> submit(group, 0, random).toCompletableFuture().cancel(true);
            case 11, 12 -> closedByAnother(group, random);
            default -> executeAll(group, random);
        }
    }

    private GroupTask<String> task(int group, int depth, SplittableRandom random) {
        SplittableRandom own = random.split();
        GroupTask<String> task = new GroupTask<>(keys.get(group), "task-" + ++ids, () -> body(group, depth, own));
        return random.nextInt(6) == 0 ? task.withQueueTimeout(someTime(random)) : task;
    }

    private TaskHandle<String> submit(int group, int depth, SplittableRandom random) {
        TaskHandle<String> handle = witness.watch(executor.submit(task(group, depth, random)));
        if (random.nextInt(3) == 0) {
            recent.add(handle);
        }
        return handle;
    }

    private void executeAll(int group, SplittableRandom random) {
        Thread caller = Thread.currentThread();
        if (random.nextInt(3) == 0) {
            SplittableRandom own = random.split();
            actor("interrupter", () -> {
                pause(own);
                caller.interrupt();
            });
        }
        executor.executeAll(
                List.of(task(group, 0, random), task(random.nextInt(keys.size()), 0, random), task(group, 0, random)));
        Thread.interrupted();
    }

    private void submitAsync(int group, SplittableRandom random) {
        String key = keys.get(group);
        SplittableRandom own = random.split();
        TaskHandle<String> handle = executor.submitAsync(key, "async-" + ++ids, witness.async(key, () -> {
            body(group, 1, own);
            CompletableFuture<String> stage = new CompletableFuture<>();
            SplittableRandom completers = own.split();
            actor("stage", () -> {
                pause(completers);
                if (completers.nextInt(4) == 0) {
                    stage.completeExceptionally(new Intended());
                } else {
                    stage.complete("stage");
                }
            });
            return stage;
        }));
        witness.watch(handle);
        if (random.nextInt(3) == 0) {
            recent.add(handle);
        }
    }

    private String call(int group, int depth, SplittableRandom random, Duration maxWait) throws Exception {
        String key = keys.get(group);
        return executor.call(key, "call-" + ++ids, maxWait, witness.inside(key, () -> body(group, depth, random)));
    }

    private void interruptedCall(int group, SplittableRandom random) {
        SplittableRandom own = random.split();
        Thread caller = actor("caller", () -> {
            try {
                call(group, 0, own, GroupLimits.NO_TIMEOUT);
            } catch (RejectedTaskException | InterruptedException | IllegalStateException | Intended expected) {
                Thread.interrupted();
            }
        });
        pause(random);
        caller.interrupt();
    }

    private void hold(GroupPermit permit, int group, int depth, SplittableRandom random) throws Exception {
        Witness.Stay stay = witness.enter(permit.groupKey());
        try {
            body(group, depth, random);
        } finally {
            stay.close();
            permit.close();
        }
    }

    /** Its permit goes back at any time, on another thread; so the witness isn't told who is inside by it. */
    private void closedByAnother(int group, SplittableRandom random) throws Exception {
        GroupPermit permit = executor.acquire(keys.get(group));
        CompletableFuture<Void> closed = new CompletableFuture<>();
        SplittableRandom own = random.split();
        actor("closer", () -> {
            pause(own);
            permit.close();
            closed.complete(null);
        });
        try {
            int later = group + random.nextInt(keys.size() - group);
            if (waits) {
                witness.mayLendUnseen(keys.get(later));
                submit(later, 1, random).join();
            } else {
                submit(later, 1, random);
                call(later, 1, random, someTime(random));
            }
        } finally {
            // Else it would ask for an earlier group while it is inside this one.
            closed.join();
        }
    }

    private void acquireAsync(String key, SplittableRandom random) {
        SplittableRandom own = random.split();
        CompletableFuture<GroupPermit> future = executor.acquireAsync(key).toCompletableFuture();
        var unused = future.thenAccept(permit -> {
            Witness.Stay stay = witness.enterDetached(key);
            pause(own);
            stay.close();
            permit.close();
        });
        if (random.nextInt(3) == 0) {
            pause(random);
            future.cancel(false);
        }
    }

    /** What runs inside a group. */
    private String body(int group, int depth, SplittableRandom random) throws Exception {
        pause(random);
        int later = group + random.nextInt(keys.size() - group);
        switch (random.nextInt(depth < 2 ? 14 : 5)) {
            case 0 -> throw new Intended();
            case 1 -> Thread.currentThread().interrupt();
            case 5, 6, 7, 8 -> {
                TaskHandle<String> handle = submit(later, depth + 1, random);
                if (waits) {
                    GroupResult<String> result =
                            witness.waiting(keys.get(later), random.nextBoolean() ? handle::await : handle::join);
                    return String.valueOf(result.value());
                }
            }
            case 9 -> submit(later, depth + 1, random).await(random.nextInt(200_000), TimeUnit.NANOSECONDS);
            case 10, 11 -> {
                return call(later, depth + 1, random, someTime(random));
            }
            case 12, 13 -> hold(executor.acquire(keys.get(later)), later, depth + 1, random);
            default -> pause(random);
        }
        return "done";
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
        int steps = 3 + random.nextInt(6);
        int end = random.nextInt(steps);
        for (int i = 0; i < steps; i++) {
            pause(random);
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
        Limits before = configured.get(group);
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                int concurrency = 1 + random.nextInt(4);
                int inFlight = 1 + random.nextInt(5);
                GroupLimits limits =
                        GroupLimits.unset().withMaxConcurrency(concurrency).withMaxInFlight(inFlight);
                witness.changing(key, concurrency, inFlight, () -> executor.setLimits(key, limits));
            }
            case 2 -> witness.changing(key, before.maxConcurrency, before.maxInFlight, () -> executor.resetLimits(key));
            case 3 -> witness.changing(key, before.maxConcurrency, before.maxInFlight, () -> executor.evictGroup(key));
            case 4 -> {
                executor.pause(key);
                pause(random);
                executor.resume(key);
            }
            case 5 -> executor.shutdownGroup(key);
            default -> {
                if (global) {
                    int most = random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(5);
                    GroupPolicy next =
                            heard(policy.toBuilder().globalMaxInFlight(most).build());
                    witness.changingGlobal(most, () -> executor.updatePolicy(next));
                } else {
                    executor.updatePolicy(heard(
                            policy.toBuilder().maxIdleGroups(random.nextInt(3)).build()));
                }
            }
        }
    }
}
