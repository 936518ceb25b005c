package io.github.kobe.schedules;

import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A world of virtual threads that one platform thread runs, one at a time, in an order that a seed settles. Where they
 * may give way is put into the engine by {@link SchedulePoints}; time goes on with their steps, and jumps to the next
 * timer when none of them can run.
 *
 * <p>Nothing here waits: when nobody can run, no timer is left, and not all is done, a wake-up was lost.
 *
 * <p>Loaded by an {@link EngineLoader}, so that its statics belong to one engine.
 */
@SuppressWarnings("ThreadPriorityCheck") // yields go to a scheduler of its own
public final class Simulation {

    /** Every time-out of a scenario lies far below; the housekeeper's own waits too. */
    public static final long HORIZON = TimeUnit.SECONDS.toNanos(60);

    private static final int MOST_STEPS = 200_000;
    private static final int TOLD_STEPS = 120;

    private static final Constructor<?> BUILDER = builder();

    private static @Nullable Simulation current;

    private final SplittableRandom random;
    private final Strategy strategy;
    /** How much time a step takes at most. */
    private final int grain;

    private final List<Fiber> fibers = new ArrayList<>();
    private final Map<Thread, Fiber> byThread = new HashMap<>();
    private final List<Fiber> runnable = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final List<String> failures = new ArrayList<>();
    private long timersSet;
    private long now;
    private @Nullable Fiber running;
    private boolean calm;

    /** The steps taken: who, where it gave way. */
    private Object[] trace = new Object[4_096];

    private int traced;
    /** Whether a critical section decides one thing at a time, as it does a thousand otherwise. */
    private final boolean smallPortions;

    Simulation(long seed) {
        random = new SplittableRandom(seed);
        smallPortions = seed % 2 == 0;
        strategy = switch (random.nextInt(5)) {
            case 0 -> new Priorities(random);
            case 1 -> new Uniform(2);
            case 2 -> new Uniform(4);
            case 3 -> new Uniform(10);
            default -> new Uniform(30);
        };
        int[] grains = {0, 1_000, 50_000, 1_000_000};
        grain = grains[random.nextInt(grains.length)];
        // As nanoTime may, it overflows now and then.
        now = random.nextBoolean() ? 1_000_000 : Long.MAX_VALUE - 100_000;
    }

    private static Constructor<?> builder() {
        try {
            Constructor<?> constructor = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            constructor.setAccessible(true);
            return constructor;
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new AssertionError(
                    "This JDK (" + Runtime.version()
                            + ") doesn't let a test give virtual threads a scheduler of its own."
                            + " JDK 25 does, with --add-opens java.base/java.lang=ALL-UNNAMED",
                    e);
        }
    }

    // ---------------------------------------------------------------- who may run next

    /** Whether a thread gives way at a point, and who runs next. */
    private interface Strategy {

        boolean givesWay(Fiber fiber);

        int pick(List<Fiber> runnable);
    }

    /** Gives way at one point in so many; anyone may be next. */
    private final class Uniform implements Strategy {

        private final int rarity;

        Uniform(int rarity) {
            this.rarity = rarity;
        }

        @Override
        public boolean givesWay(Fiber fiber) {
            return random.nextInt(rarity) == 0;
        }

        @Override
        public int pick(List<Fiber> runnable) {
            return random.nextInt(runnable.size());
        }
    }

    /**
     * The highest priority runs, drawn for each thread, until it falls below all others at one of a few points: finds
     * what takes few changes of turn at the right places (Burckhardt and others, A Randomized Scheduler with
     * Probabilistic Guarantees of Finding Bugs, 2010).
     */
    private static final class Priorities implements Strategy {

        private static final int CHANGES = 12;
        private static final int SPAN = 1_500;

        private final int[] changes = new int[CHANGES];
        private int points;
        private int lowest;

        Priorities(SplittableRandom random) {
            Arrays.setAll(changes, i -> random.nextInt(SPAN));
        }

        @Override
        public boolean givesWay(Fiber fiber) {
            int point = points++ % SPAN;
            for (int change : changes) {
                if (change == point) {
                    fiber.priority = --lowest;
                    return true;
                }
            }
            return true;
        }

        @Override
        public int pick(List<Fiber> runnable) {
            int best = 0;
            for (int i = 1; i < runnable.size(); i++) {
                if (runnable.get(i).priority > runnable.get(best).priority) {
                    best = i;
                }
            }
            return best;
        }
    }

    // ---------------------------------------------------------------- threads

    /** One simulated thread, and the scheduler that the JDK knows for it. */
    private final class Fiber implements Executor {

        private final int id = fibers.size() + 1;
        private final String name;
        private final boolean serves;
        /** Whether it passes for a platform thread: half of the scenario's own do. */
        private boolean platform;

        private int priority = random.nextInt(Integer.MAX_VALUE);
        private String at = "not started";
        private boolean ended;
        private @Nullable Thread thread;
        private @Nullable Runnable continuation;

        Fiber(String name, boolean serves) {
            this.name = name;
            this.serves = serves;
        }

        @Override
        public void execute(Runnable resumed) {
            continuation = resumed;
            runnable.add(this);
        }

        @Override
        public String toString() {
            return name + "#" + id;
        }
    }

    /** Makes a thread, not started yet: for {@link Surroundings}. */
    Thread unstarted(String name, Runnable work) {
        return newThread(name, false, work);
    }

    private Thread newThread(String name, boolean serves, Runnable work) {
        Fiber fiber = new Fiber(name, serves);
        try {
            Thread thread = ((Thread.Builder.OfVirtual) BUILDER.newInstance(fiber))
                    .name(name)
                    .inheritInheritableThreadLocals(false)
                    .unstarted(() -> {
                        try {
                            work.run();
                        } catch (Throwable failure) {
                            fail(fiber + " died of " + failure, failure);
                        } finally {
                            fiber.ended = true;
                            fiber.at = "its end";
                        }
                    });
            fiber.thread = thread;
            fibers.add(fiber);
            byThread.put(thread, fiber);
            return thread;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no virtual thread with a scheduler of its own", e);
        }
    }

    /** Starts a thread of the scenario's own. */
    Thread start(String name, Callable<?> work) {
        Thread thread = newThread(name, false, () -> {
            try {
                work.call();
            } catch (Exception e) {
                fail(name + " failed with " + e, e);
            }
        });
        Objects.requireNonNull(byThread.get(thread)).platform = random.nextBoolean();
        thread.start();
        return thread;
    }

    Surroundings environment() {
        Surroundings surroundings = new Surroundings(Simulation::nanoTime, this::unstarted, true);
        return smallPortions ? surroundings.withPortion(1) : surroundings;
    }

    // ---------------------------------------------------------------- running

    /** The simulation that the calling thread's engine belongs to. */
    public static Simulation now() {
        Simulation simulation = current;
        if (simulation == null) {
            throw new IllegalStateException("no simulation goes on");
        }
        return simulation;
    }

    /** Has the statics act for this simulation; with {@code null}, for none. */
    public static void enter(@Nullable Simulation simulation) {
        current = simulation;
    }

    /**
     * Runs everyone until none can, then lets time pass until {@code done} says that all is done.
     *
     * @param findings what is wrong so far, asked for after each step
     * @param atRest looked at whenever nobody can run
     */
    void run(BooleanSupplier done, Supplier<List<String>> findings, Runnable atRest) {
        long horizon = now + HORIZON;
        for (int steps = 0; failures.isEmpty(); ) {
            if (runnable.isEmpty()) {
                atRest.run();
                if (done.getAsBoolean()) {
                    return;
                }
                if (timers.isEmpty() || timers.peek().at - horizon > 0) {
                    fail("a wake-up was lost: nobody can run, and nothing is due", null);
                    return;
                }
                now = timers.peek().at;
                fireTimers();
            } else {
                step();
                failures.addAll(findings.get());
                if (++steps > MOST_STEPS) {
                    fail("no end in sight after " + steps + " steps", null);
                }
            }
        }
    }

    private void step() {
        Fiber fiber = runnable.remove(strategy.pick(runnable));
        running = fiber;
        record(fiber, fiber.at);
        fiber.continuation.run();
        running = null;
        now += grain == 0 ? 0 : random.nextInt(grain);
        fireTimers();
    }

    private void fireTimers() {
        for (Timer timer = timers.peek(); timer != null && timer.at - now <= 0; timer = timers.peek()) {
            timers.poll();
            record(timer.fiber, "its time is up");
            LockSupport.unpark(timer.fiber.thread);
        }
    }

    /** {@return whether every thread has ended, but those that only serve} */
    boolean allEnded() {
        for (Fiber fiber : fibers) {
            if (!fiber.ended && !fiber.serves) {
                return false;
            }
        }
        return true;
    }

    /** {@return whether every thread has ended} */
    boolean isEmpty() {
        return allEnded() && fibers.stream().allMatch(fiber -> fiber.ended);
    }

    /** From now on threads give way only when they wait. */
    void calmDown() {
        calm = true;
    }

    /** Lets all others go on until none of them can; on a simulated thread. */
    void settle() {
        Fiber fiber = running;
        if (fiber != null) {
            fiber.priority = Integer.MIN_VALUE;
        }
        do {
            Thread.yield();
        } while (!runnable.isEmpty());
    }

    // ---------------------------------------------------------------- what the engine calls

    /** The current thread is about to take a step that others may see. */
    public static void point(String where) {
        Simulation simulation = current;
        if (simulation != null) {
            Fiber fiber = simulation.running;
            if (fiber != null) {
                simulation.giveWay(fiber, where);
            }
        }
    }

    private void giveWay(Fiber fiber, String where) {
        fiber.at = where;
        if (!calm && !runnable.isEmpty() && strategy.givesWay(fiber)) {
            Thread.yield();
        }
    }

    public static long nanoTime() {
        return now().now;
    }

    public static void parkNanos(long nanos) {
        now().parkFor(nanos);
    }

    public static void parkNanos(Object blocker, long nanos) {
        now().parkFor(nanos);
    }

    private void parkFor(long nanos) {
        Fiber fiber = running;
        if (nanos > 0 && fiber != null) {
            Timer timer = new Timer(now + Math.min(nanos, 2 * HORIZON), timersSet++, fiber);
            timers.add(timer);
            LockSupport.park();
            timers.remove(timer);
        }
    }

    public static Condition newCondition(ReentrantLock lock) {
        return new SimulatedCondition(lock);
    }

    /** {@return whether a thread passes for a virtual one: those that call do something else on platform threads} */
    public static boolean isVirtual(Thread thread) {
        Fiber fiber = current == null ? null : current.byThread.get(thread);
        return fiber == null ? thread.isVirtual() : !fiber.platform;
    }

    /** Small numbers, the same at each run; some share one, so that they meet in the table of {@link Holds}. */
    public static long threadId(Thread thread) {
        Fiber fiber = current == null ? null : current.byThread.get(thread);
        return fiber == null ? 0 : fiber.id % 8;
    }

    public static PlatformBuilder ofPlatform() {
        return new PlatformBuilder();
    }

    /** Goes by insertion, not by identity hash codes. */
    public static <T> Set<T> newKeySet() {
        return new CopyOnWriteArraySet<>();
    }

    /** Those that belong to threads go by the threads' order, not by their hash codes. */
    public static <K, V> Collection<V> values(ConcurrentHashMap<K, V> map) {
        if (map.isEmpty() || !(map.keySet().iterator().next() instanceof Thread)) {
            return map.values();
        }
        return map.entrySet().stream()
                .sorted(Comparator.comparingInt(entry -> now().byThread.get((Thread) entry.getKey()).id))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** Makes what would be a platform thread. */
    public static final class PlatformBuilder {

        private String name = "";

        public PlatformBuilder daemon() {
            return this;
        }

        public PlatformBuilder name(String newName) {
            name = newName;
            return this;
        }

        public PlatformBuilder inheritInheritableThreadLocals(boolean inherit) {
            return this;
        }

        public Thread unstarted(Runnable work) {
            return now().newThread(name, true, work);
        }
    }

    /** When a thread is to be woken. */
    private record Timer(long at, long number, Fiber fiber) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.signum(at - other.at) : Long.compare(number, other.number);
        }
    }

    // ---------------------------------------------------------------- telling

    void fail(String what, @Nullable Throwable cause) {
        StringBuilder text = new StringBuilder(what);
        if (cause != null) {
            Arrays.stream(cause.getStackTrace())
                    .limit(12)
                    .forEach(frame -> text.append("\n      at ").append(frame));
        }
        failures.add(text.toString());
    }

    /** {@return what went wrong, with the last steps and who waits where; {@code null} if nothing did} */
    @Nullable
    String failure() {
        if (failures.isEmpty()) {
            return null;
        }
        StringBuilder text = new StringBuilder(String.join("\n  ", failures));
        text.append("\nThe last steps:\n  ").append(String.join("\n  ", lastSteps(TOLD_STEPS)));
        text.append("\nWho hasn't ended:");
        for (Fiber fiber : fibers) {
            Thread thread = fiber.thread;
            if (!fiber.ended && thread != null) {
                text.append("\n  ").append(fiber).append(" at ").append(fiber.at);
                Arrays.stream(thread.getStackTrace())
                        .filter(frame -> frame.getClassName().startsWith("io.github.kobe"))
                        .limit(12)
                        .forEach(frame -> text.append("\n      at ").append(frame));
            }
        }
        return text.toString();
    }

    /** {@return every step taken} */
    List<String> steps() {
        return lastSteps(traced / 2);
    }

    private List<String> lastSteps(int most) {
        List<String> lines = new ArrayList<>();
        for (int i = Math.max(0, traced - 2 * most); i < traced; i += 2) {
            lines.add(trace[i] + " goes on at " + trace[i + 1]);
        }
        return lines;
    }

    private void record(Fiber fiber, String where) {
        if (traced + 2 > trace.length) {
            trace = Arrays.copyOf(trace, 2 * trace.length);
        }
        trace[traced++] = fiber;
        trace[traced++] = where;
    }
}
