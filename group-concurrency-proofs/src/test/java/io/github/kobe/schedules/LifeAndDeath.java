package io.github.kobe.schedules;

import io.github.kobe.EngineAccess;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Two ends of a life meet: one race each, with fixed limits, so that every count is exact. */
final class LifeAndDeath extends Scenario {

    /** What meets what. */
    enum Race {
        SUBMIT_VERSUS_SHUTDOWN,
        SUBMIT_VERSUS_EVICT,
        CANCEL_VERSUS_START,
        CANCEL_VERSUS_COMPLETE,
        TIME_OUT_VERSUS_GRANT,
        IDLE_REMOVAL_VERSUS_REUSE,
        NESTED_WAIT_VERSUS_GLOBAL_LIMIT,
        INTERRUPT_VERSUS_GRANT,
        INTERRUPT_VERSUS_HAND_BACK
    }

    /** A task of the race: what was heard of it. */
    private static final class Story {
        private final String name;
        private int runs;
        private boolean refused;
        private boolean cancelled;
        private TaskHandle<String> handle;

        Story(String name) {
            this.name = name;
        }
    }

    private final Race race;
    private final int limit;
    private final List<Story> stories = new ArrayList<>();
    private final Map<String, Integer> inside = new HashMap<>();
    private Boolean drained;

    LifeAndDeath(Simulation simulation, long seed, Race race) {
        super(simulation, seed);
        this.race = race;
        this.limit = 1 + random.nextInt(2);
    }

    @Override
    void begin() {
        GroupPolicy.Builder policy = GroupPolicy.builder().defaultMaxConcurrencyPerGroup(limit);
        if (random.nextBoolean()) {
            policy.globalMaxInFlight(1 + random.nextInt(3));
        }
        switch (race) {
            case TIME_OUT_VERSUS_GRANT -> policy.queueTimeout(Duration.ofNanos(50_000 + random.nextInt(100_000)));
            case IDLE_REMOVAL_VERSUS_REUSE -> {
                policy.maxIdleGroups(random.nextInt(2));
                if (random.nextBoolean()) {
                    policy.maxIdleGroups(1_000).idleTimeout(Duration.ofNanos(20_000));
                }
            }
            case NESTED_WAIT_VERSUS_GLOBAL_LIMIT -> policy.globalMaxInFlight(1 + random.nextInt(2));
            default -> policy.maxIdleGroups(random.nextInt(2));
        }
        start(policy.build(), random.nextBoolean());
        switch (race) {
            case SUBMIT_VERSUS_SHUTDOWN -> {
                users("key", 2);
                boolean drains = random.nextBoolean();
                repeatedly("ender", 1, () -> {
                    if (drains) {
                        drained = executor.shutdown(Duration.ofSeconds(10));
                    } else {
                        executor.shutdown();
                    }
                });
            }
            case SUBMIT_VERSUS_EVICT -> {
                users("key", 2);
                repeatedly("evictor", 4, () -> executor.evictGroup("key"));
            }
            case CANCEL_VERSUS_START -> {
                submitter("key");
                submitter("key");
                canceller();
                canceller();
            }
            case CANCEL_VERSUS_COMPLETE -> {
                stages("key");
                submitter("key");
                canceller();
            }
            case TIME_OUT_VERSUS_GRANT -> users("key", 3);
            case IDLE_REMOVAL_VERSUS_REUSE -> {
                users("key", 2);
                users("other", 1);
                users("third", 1);
            }
            case NESTED_WAIT_VERSUS_GLOBAL_LIMIT -> {
                nester("outer");
                nester("other");
                users("inner", 1);
                SplittableRandom own = random.split();
                repeatedly("pauser", 3, () -> {
                    executor.pause("inner");
                    pause(own);
                    executor.resume("inner");
                });
            }
            case INTERRUPT_VERSUS_GRANT -> {
                interruptedWaiter("key");
                interruptedWaiter("key");
                submitter("key");
            }
            case INTERRUPT_VERSUS_HAND_BACK -> {
                interruptedLender("key");
                interruptedLender("key");
                submitter(random.nextBoolean() ? "key" : "other");
            }
        }
    }

    // ---------------------------------------------------------------- who takes part

    private void repeatedly(String name, int times, Act act) {
        SplittableRandom own = random.split();
        actor(name, () -> {
            for (int i = 0; i < times; i++) {
                pause(own);
                act.run();
            }
        });
    }

    /** Threads that ask in every way. */
    private void users(String key, int count) {
        for (int i = 0; i < count; i++) {
            submitter(key);
        }
        SplittableRandom own = random.split();
        boolean timed = race == Race.TIME_OUT_VERSUS_GRANT;
        repeatedly("caller", 2, () -> {
            Story story = tell("call");
            Duration maxWait = timed ? Duration.ofNanos(own.nextInt(150_000)) : GroupLimits.NO_TIMEOUT;
            try {
                executor.call(key, story.name, maxWait, witness.inside(key, body(key, story, own)));
            } catch (IllegalStateException | RejectedTaskException refused) {
                story.refused = true;
            }
        });
        SplittableRandom other = random.split();
        repeatedly("acquirer", 2, () -> {
            try {
                var permit = executor.tryAcquire(
                        key, timed ? Duration.ofNanos(other.nextInt(150_000)) : GroupLimits.NO_TIMEOUT);
                if (permit.isPresent()) {
                    witness.inside(key, body(key, tell("permit"), other)).call();
                    permit.get().close();
                }
            } catch (IllegalStateException | RejectedTaskException refused) {
                expectRefusal();
            }
        });
        repeatedly("asynchronous acquirer", 1, () -> {
            try {
                CompletableFuture<GroupPermit> asked =
                        executor.acquireAsync(key).toCompletableFuture();
                var unused = asked.thenAccept(GroupPermit::close);
                if (own.nextBoolean()) {
                    pause(own);
                    asked.cancel(false);
                }
            } catch (IllegalStateException refused) {
                expectRefusal();
            }
        });
    }

    /** A thread that asks for a second group inside the first, lends there, or gives up in between. */
    private void nester(String outer) {
        SplittableRandom own = random.split();
        Thread thread = actor("nester", () -> {
            for (int i = 0; i < 3; i++) {
                try {
                    executor.call(outer, witness.inside(outer, () -> within(own)));
                } catch (RejectedTaskException | InterruptedException givenUp) {
                    Thread.interrupted();
                }
            }
        });
        repeatedly("interrupter", 2, thread::interrupt);
    }

    private Object within(SplittableRandom own) throws Exception {
        Story story = tell("inner");
        if (own.nextInt(3) == 0) {
            story.handle = executor.submit("inner", story.name, body("inner", story, own.split()));
            return witness.waiting("inner", story.handle::await);
        }
        Duration maxWait = own.nextBoolean() ? GroupLimits.NO_TIMEOUT : Duration.ofNanos(own.nextInt(150_000));
        try {
            return executor.call("inner", story.name, maxWait, witness.inside("inner", body("inner", story, own)));
        } catch (RejectedTaskException | InterruptedException givenUp) {
            story.refused = story.runs == 0;
            throw givenUp;
        }
    }

    /** A thread that asks in each way that may have to wait, while another interrupts it. */
    private void interruptedWaiter(String key) {
        SplittableRandom own = random.split();
        Thread thread = actor("waiter", () -> {
            for (int i = 0; i < 3; i++) {
                Story story = tell("waiter");
                Duration maxWait = own.nextBoolean() ? GroupLimits.NO_TIMEOUT : Duration.ofNanos(own.nextInt(150_000));
                Callable<String> work = witness.inside(key, body(key, story, own));
                try {
                    switch (own.nextInt(3)) {
                        case 0 -> executor.call(key, story.name, maxWait, work);
                        case 1 -> {
                            GroupPermit permit = executor.acquire(key);
                            work.call();
                            permit.close();
                        }
                        default -> {
                            var permit = executor.tryAcquire(key, maxWait);
                            story.refused = permit.isEmpty();
                            if (permit.isPresent()) {
                                work.call();
                                permit.get().close();
                            }
                        }
                    }
                } catch (InterruptedException | RejectedTaskException givenUp) {
                    story.refused = true;
                }
            }
        });
        repeatedly("interrupter", 3, thread::interrupt);
    }

    /** A thread that waits for its own work inside a group, and works on there, while another interrupts it. */
    private void interruptedLender(String key) {
        SplittableRandom own = random.split();
        Thread thread = actor("lender", () -> {
            for (int i = 0; i < 2; i++) {
                var permit = executor.tryAcquire(key, Duration.ZERO);
                if (permit.isPresent()) {
                    witness.inside(key, () -> lend(own.nextInt(3) == 0 ? "other" : key, own))
                            .call();
                    body(key, tell("lender"), own).call();
                    permit.get().close();
                }
                pause(own);
            }
        });
        repeatedly("interrupter", 2, thread::interrupt);
    }

    private Object lend(String key, SplittableRandom own) throws Exception {
        Story story = tell("borrower");
        story.handle = executor.submit(key, story.name, body(key, story, own.split()));
        try {
            return witness.waiting(key, own.nextBoolean() ? story.handle::await : story.handle::join);
        } catch (InterruptedException interrupted) {
            return interrupted;
        }
    }

    private void submitter(String key) {
        SplittableRandom own = random.split();
        repeatedly("submitter", 3, () -> {
            Story story = tell("task");
            try {
                story.handle = executor.submit(key, story.name, body(key, story, own.split()));
                witness.watch(story.handle);
            } catch (IllegalStateException refused) {
                story.refused = true;
                expectRefusal();
            }
        });
    }

    private void stages(String key) {
        SplittableRandom own = random.split();
        repeatedly("stager", 3, () -> {
            Story story = tell("stage");
            CompletableFuture<String> stage = new CompletableFuture<>();
            SplittableRandom body = own.split();
            SplittableRandom completer = own.split();
            story.handle = executor.submitAsync(key, story.name, witness.async(key, () -> {
                body(key, story, body).call();
                return stage;
            }));
            witness.watch(story.handle);
            actor("completer", () -> {
                pause(completer);
                stage.complete("done");
            });
        });
    }

    private void canceller() {
        SplittableRandom own = random.split();
        repeatedly("canceller", 6, () -> {
            if (!stories.isEmpty()) {
                Story story = stories.get(own.nextInt(stories.size()));
                if (story.handle != null && story.handle.cancel(own.nextBoolean())) {
                    if (story.cancelled) {
                        simulation.fail(story.name + " was cancelled twice", null);
                    }
                    story.cancelled = true;
                }
            }
        });
    }

    private Story tell(String kind) {
        Story story = new Story(kind + "-" + (stories.size() + 1));
        stories.add(story);
        return story;
    }

    private Callable<String> body(String key, Story story, SplittableRandom own) {
        return () -> {
            story.runs++;
            int count = inside.merge(key, 1, Integer::sum);
            if (count > limit) {
                simulation.fail("I1: " + count + " inside '" + key + "', limit " + limit, null);
            }
            pause(own);
            inside.merge(key, -1, Integer::sum);
            return story.name;
        };
    }

    private void expectRefusal() {
        if (race != Race.SUBMIT_VERSUS_SHUTDOWN) {
            simulation.fail("refused, but nobody shuts down", null);
        }
    }

    // ---------------------------------------------------------------- how it ended

    @Override
    void check() {
        if (race == Race.IDLE_REMOVAL_VERSUS_REUSE && executor.policy().maxIdleGroups() == 0) {
            int alarms = EngineAccess.alarms(executor);
            if (alarms > 0) {
                simulation.fail("no idle group is kept, but " + alarms + " alarms are set", null);
            }
        }
        for (Story story : stories) {
            String wrong = story.handle == null ? wrongWithoutHandle(story) : wrongWithHandle(story);
            if (wrong != null) {
                simulation.fail(story.name + " " + wrong, null);
            }
        }
    }

    private static String wrongWithoutHandle(Story story) {
        return story.runs == (story.refused ? 0 : 1) ? null : "ran " + story.runs + " times, refused: " + story.refused;
    }

    private String wrongWithHandle(Story story) {
        if (!story.handle.isDone()) {
            return "isn't done";
        }
        TaskStatus status;
        try {
            status = story.handle.join().status();
        } catch (RejectedTaskException rejected) {
            boolean expected = race == Race.TIME_OUT_VERSUS_GRANT && rejected.reason() == RejectionReason.QUEUE_TIMEOUT;
            return expected && story.runs == 0 ? null : "was rejected, runs: " + story.runs + ", " + rejected;
        }
        // Also a drain that forces nothing turns away what comes too late to be let in.
        boolean ended = race == Race.SUBMIT_VERSUS_SHUTDOWN && (story.runs == 0 || !Boolean.TRUE.equals(drained));
        return switch (status) {
            case SUCCESS -> story.runs == 1 && !story.cancelled ? null : "succeeded, runs: " + story.runs;
            case CANCELLED ->
                story.runs <= 1 && (story.cancelled || ended)
                        ? null
                        : "was cancelled by nobody, or ran " + story.runs + " times";
            default -> "ended as " + status;
        };
    }
}
