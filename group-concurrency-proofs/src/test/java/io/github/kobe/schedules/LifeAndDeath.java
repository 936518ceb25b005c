package io.github.kobe.schedules;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.audit.Witness;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.races.Request;
import io.github.kobe.races.Request.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
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

    /** Races in which those who wait are interrupted. */
    private static final Set<Race> INTERRUPTED = EnumSet.of(
            Race.NESTED_WAIT_VERSUS_GLOBAL_LIMIT, Race.INTERRUPT_VERSUS_GRANT, Race.INTERRUPT_VERSUS_HAND_BACK);

    /** A request that isn't let go, but leaves after a while. */
    private final class Stay extends Request {

        private final String key;
        private final String name;
        private final SplittableRandom own;
        private int runs;

        Stay(String key, String name, Ask ask, Duration ownTime, SplittableRandom own) {
            super(executor, key, name, ask, ownTime);
            this.key = key;
            this.name = name;
            this.own = own;
        }

        /** The policy's decorator marks a task as inside. */
        @Override
        protected String run() {
            if (ask() == Ask.SUBMIT) {
                return stay();
            }
            Witness.Stay marked = witness.enter(key);
            try {
                return stay();
            } finally {
                marked.close();
            }
        }

        @Override
        protected void hold(GroupPermit permit) {
            if (ask() == Ask.ACQUIRE) {
                end(run());
            } else {
                runs++;
                end("closed at once");
            }
            permit.close();
        }

        private String stay() {
            runs++;
            int count = inside.merge(key, 1, Integer::sum);
            if (count > limit) {
                simulation.fail("I1: " + count + " inside '" + key + "', limit " + limit, null);
            }
            pause(own);
            inside.merge(key, -1, Integer::sum);
            return name;
        }

        private boolean isExplained() {
            return switch (fate()) {
                case DONE -> runs == 1 && cancels() == 0;
                case TIMED_OUT -> runs == 0 && isTimed();
                case SHUT_DOWN -> runs == 0 && race == Race.SUBMIT_VERSUS_SHUTDOWN;
                case CANCELLED -> runs <= (ask().blocks() ? 0 : 1) && isCancelled();
                case null -> false;
            };
        }

        private boolean isTimed() {
            return race == Race.TIME_OUT_VERSUS_GRANT || INTERRUPTED.contains(race);
        }

        private boolean isCancelled() {
            // Also a drain that forces nothing turns away what comes too late to be let in.
            boolean ended = race == Race.SUBMIT_VERSUS_SHUTDOWN && (runs == 0 || !Boolean.TRUE.equals(drained));
            return ended || (ask().blocks() ? INTERRUPTED.contains(race) : cancels() == 1);
        }
    }

    private final Race race;
    private final int limit;
    private final List<Stay> stays = new ArrayList<>();
    private final Map<String, Integer> inside = new HashMap<>();
    private Boolean drained;

    LifeAndDeath(Simulation simulation, long seed, Race race) {
        super(simulation, seed);
        this.race = race;
        this.limit = 1 + random.nextInt(2);
    }

    @Override
    void begin() {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(limit)
                .defaultMaxInFlightPerGroup(Integer.MAX_VALUE);
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

    private Stay stay(String key, Ask ask, Duration ownTime, SplittableRandom own) {
        Stay stay = new Stay(key, ask + "-" + (stays.size() + 1), ask, ownTime, own);
        stays.add(stay);
        return stay;
    }

    private void make(Stay stay) throws Exception {
        stay.make();
        if (stay.handle() != null) {
            witness.watch(stay.handle());
        }
    }

    private static Duration shortTime(SplittableRandom own) {
        return Duration.ofNanos(own.nextInt(150_000));
    }

    private static Duration anyTime(SplittableRandom own) {
        return own.nextBoolean() ? GroupLimits.NO_TIMEOUT : shortTime(own);
    }

    /** Threads that ask in every way. */
    private void users(String key, int count) {
        for (int i = 0; i < count; i++) {
            submitter(key);
        }
        for (Ask ask : List.of(Ask.CALL, Ask.ACQUIRE)) {
            SplittableRandom own = random.split();
            boolean timed = race == Race.TIME_OUT_VERSUS_GRANT;
            repeatedly("asker", 2, () -> make(stay(key, ask, timed ? shortTime(own) : GroupLimits.NO_TIMEOUT, own)));
        }
        SplittableRandom own = random.split();
        repeatedly("asynchronous asker", 1, () -> {
            Stay stay = stay(key, Ask.ACQUIRE_ASYNC, GroupLimits.NO_TIMEOUT, own);
            make(stay);
            if (own.nextBoolean() && !stay.isRefused()) {
                pause(own);
                stay.cancel(false);
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
        if (own.nextInt(3) == 0) {
            Stay stay = stay("inner", Ask.SUBMIT, GroupLimits.NO_TIMEOUT, own.split());
            make(stay);
            return witness.waiting("inner", stay.handle()::await);
        }
        Stay stay = stay("inner", Ask.CALL, anyTime(own), own);
        make(stay);
        if (stay.end() instanceof Exception givenUp) {
            throw givenUp;
        }
        return stay;
    }

    /** A thread that asks in each way that may have to wait, while another interrupts it. */
    private void interruptedWaiter(String key) {
        SplittableRandom own = random.split();
        Thread thread = actor("waiter", () -> {
            for (int i = 0; i < 3; i++) {
                make(stay(key, own.nextInt(3) == 0 ? Ask.CALL : Ask.ACQUIRE, anyTime(own), own));
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
                    permit.get().call(witness.inside(key, () -> lend(own.nextInt(3) == 0 ? "other" : key, own)));
                    stay(key, Ask.ACQUIRE, Duration.ZERO, own).hold(permit.get());
                }
                pause(own);
            }
        });
        repeatedly("interrupter", 2, thread::interrupt);
    }

    private Object lend(String key, SplittableRandom own) throws Exception {
        Stay stay = stay(key, Ask.SUBMIT, GroupLimits.NO_TIMEOUT, own.split());
        make(stay);
        try {
            return witness.waiting(key, own.nextBoolean() ? stay.handle()::await : stay.handle()::join);
        } catch (InterruptedException interrupted) {
            return interrupted;
        }
    }

    private void submitter(String key) {
        SplittableRandom own = random.split();
        repeatedly("submitter", 3, () -> make(stay(key, Ask.SUBMIT, GroupLimits.NO_TIMEOUT, own.split())));
    }

    private void stages(String key) {
        SplittableRandom own = random.split();
        repeatedly("stager", 3, () -> {
            Stay stay = stay(key, Ask.SUBMIT, GroupLimits.NO_TIMEOUT, own.split());
            CompletableFuture<String> stage = new CompletableFuture<>();
            SplittableRandom completer = own.split();
            stay.follow(witness.watch(executor.submitAsync(key, stay.name, witness.async(key, () -> {
                stay.run();
                return stage;
            }))));
            actor("completer", () -> {
                pause(completer);
                stage.complete("done");
            });
        });
    }

    private void canceller() {
        SplittableRandom own = random.split();
        repeatedly("canceller", 6, () -> {
            if (!stays.isEmpty()) {
                Stay stay = stays.get(own.nextInt(stays.size()));
                if (stay.handle() != null) {
                    stay.cancel(own.nextBoolean());
                }
            }
        });
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
        for (Stay stay : stays) {
            if (!stay.isExplained()) {
                simulation.fail("in " + stay.runs + " runs: " + stay, null);
            }
        }
    }
}
