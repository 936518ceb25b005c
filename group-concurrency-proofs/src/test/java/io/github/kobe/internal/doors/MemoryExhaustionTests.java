package io.github.kobe.internal.doors;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Audit;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.faults.Site;
import io.github.kobe.faults.Ways;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.schedules.EngineLoader;
import io.github.kobe.schedules.NamedVisitor;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Each of the {@link Ways} is taken again and again, and each time memory runs out at the next place in the engine where anything
 * is made: once at that place, or from there to the end of the program. Afterwards nothing may be lost: the handles are
 * done, the permits are back, and the executor works.
 */
@Tag("E16")
@Tag("deep")
public class MemoryExhaustionTests {

    private static final int MOST_PLACES = 2_000;

    private static final int AT_ONCE = 6;

    private static final int MOST_IN_FLIGHT = 3;

    private static final List<String> KEYS = List.of("a", "b", "c", "x", "y", "full", "short", "late", "paused");

    /** After that much, the next successor starts by way of the housekeeper. */
    private static final Duration LONG_SINCE_THE_LAST_HOP = Duration.ofMillis(100);

    /** No way takes fewer than that; one with which memory has hardly been asked for shows nothing. */
    private static final int FEWEST_PLACES = 8;

    /** So many places in a row that a run doesn't come to: how often memory is asked for may depend on which thread is first. */
    private static final int AS_GOOD_AS_NONE = 3;

    /** Each has a loader, so an engine and a memory of its own, and they share the programs. */
    private static final Map<String, Future<List<String>>> FINDINGS = new ConcurrentHashMap<>();

    /** What {@link LackingMemory} has met of what it names. */
    private static final Set<String> MET = ConcurrentHashMap.newKeySet();

    @BeforeAll
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    static void runAll() {
        Queue<Function<String, List<String>>> idle = new ConcurrentLinkedQueue<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            programs()
                    .forEach(program -> FINDINGS.put(program, threads.submit(() -> {
                        Function<String, List<String>> runs = Objects.requireNonNullElseGet(idle.poll(), Runs::changed);
                        try {
                            return runs.apply(program);
                        } finally {
                            idle.add(runs);
                        }
                    })));
        }
    }

    /** Ways, each as it is; some also in other surroundings. */
    static Stream<String> programs() {
        return Stream.concat(
                Stream.of(Ways.values()).map(way -> "PLAIN " + way.name()),
                Stream.of(
                        "LISTENER STARTED_BY_ITS_PREDECESSOR",
                        "LISTENER CANCELLED_IN_THE_QUEUE",
                        "LISTENER PERMITS_TO_COME",
                        "LISTENER CALL",
                        "LISTENER ACQUIRE",
                        "PORTIONS STARTED_BY_A_LARGER_LIMIT",
                        "PORTIONS STARTED_BY_ANOTHER_POLICY",
                        "PORTIONS STARTED_BY_A_RESUME",
                        "PORTIONS STARTED_IN_ITS_TURN",
                        "PORTIONS TIMED_OUT",
                        "PORTIONS TIMED_OUT_BY_A_LATER_LIMIT",
                        "PORTIONS ENDED_WITH_ITS_GROUP",
                        "PORTIONS SHUT_DOWN",
                        "GLOBAL STARTED_BY_ITS_PREDECESSOR",
                        "GLOBAL CALL",
                        "HOPS STARTED_BY_ITS_PREDECESSOR",
                        "TIMERS STARTED_BY_ITS_PREDECESSOR"));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aLackOfMemoryLosesNothing(String program) throws Exception {
        assertThat(FINDINGS.get(program).get()).isEmpty();
    }

    @Test
    void whatLacksMemoryByNameExists() {
        assertThat(MET).containsExactlyInAnyOrderElementsOf(LackingMemory.names());
    }

    /** What the engine has around it. */
    private enum Surrounded {
        PLAIN,
        LISTENER,
        /** A critical section decides one thing at a time. */
        PORTIONS,
        /** There is a global limit. */
        GLOBAL,
        /** The engine's own thread does what is due, and starts the next task. */
        HOPS,
        /** The same, and the next task starts where the last one ends. */
        TIMERS;

        boolean hasTimers() {
            return this == HOPS || this == TIMERS;
        }
    }

    /** Runs a program by its name until memory has run out at every place; loaded with the changed engine. */
    static final class Runs implements Function<String, List<String>> {

        @SuppressWarnings("unchecked")
        static Function<String, List<String>> changed() {
            EngineLoader loader = new EngineLoader(next -> new LackingMemory(next, MET));
            loader.initialiseAll();
            return loader.newInstance(Function.class, Runs.class);
        }

        @Override
        public List<String> apply(String program) {
            List<String> found = new ArrayList<>();
            found.addAll(run(program, Integer.MAX_VALUE, false));
            int asked = Memory.asked();
            if (asked < FEWEST_PLACES) {
                found.add("memory was asked for at " + asked + " places only");
            }
            for (boolean lasting : new boolean[] {false, true}) {
                int place = 0;
                for (int missed = 0; missed < AS_GOOD_AS_NONE && found.isEmpty() && place < MOST_PLACES; ) {
                    place++;
                    found.addAll(run(program, place, lasting));
                    missed = Memory.hasRunOut() ? 0 : missed + 1;
                }
                if (found.isEmpty() && (place < asked / 2 || place >= MOST_PLACES)) {
                    found.add("memory ran out at " + place + " places of " + asked);
                }
            }
            return found;
        }

        private static List<String> run(String program, int place, boolean lasting) {
            Memory.whole();
            String finding = new Trial(program, place, lasting).run();
            return finding == null
                    ? List.of()
                    : List.of("place " + place + (lasting ? " and after: " : ": ") + finding);
        }
    }

    /** One run of a program. */
    private static final class Trial extends Site {

        private final Surrounded surrounded;
        private final Ways way;
        private final int place;
        private final boolean lasting;
        private final ManualClock clock;
        private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();
        private volatile boolean played;
        private volatile boolean over;

        Trial(String program, int place, boolean lasting) {
            this(program.split(" "), new ManualClock(), place, lasting);
        }

        private Trial(String[] program, ManualClock clock, int place, boolean lasting) {
            this(Surrounded.valueOf(program[0]), Ways.valueOf(program[1]), clock, place, lasting);
        }

        private Trial(Surrounded surrounded, Ways way, ManualClock clock, int place, boolean lasting) {
            super(EngineAccess.newExecutor(
                    policy(surrounded, way),
                    surrounded.hasTimers()
                            ? clock.withTimers()
                            : surrounded == Surrounded.PORTIONS
                                    ? clock.environment().withPortion(1)
                                    : clock.environment()));
            this.surrounded = surrounded;
            this.way = way;
            this.clock = clock;
            this.place = place;
            this.lasting = lasting;
        }

        private static GroupPolicy policy(Surrounded surrounded, Ways way) {
            GroupPolicy.Builder builder = Ways.policy().defaultMaxInFlightPerGroup(MOST_IN_FLIGHT);
            if (surrounded == Surrounded.GLOBAL || way.is(Ways.Trait.GLOBAL)) {
                builder.globalMaxInFlight(2);
            }
            if (surrounded == Surrounded.LISTENER) {
                builder.taskLifecycleListener(new TaskLifecycleListener() {});
            }
            return way == Ways.IDLE
                    ? builder.maxIdleGroups(1)
                            .idleTimeout(Duration.ofSeconds(1))
                            .build()
                    : builder.build();
        }

        /** {@return what is wrong afterwards; {@code null} if nothing is} */
        @Nullable
        String run() {
            try (executor) {
                Thread timer = Thread.ofPlatform().start(this::keepTime);
                try {
                    Memory.runsOutAt(place, lasting);
                    way.take(this);
                    await("it gets as far as it can", this::isCalm);
                    played = true;
                    Memory.whole();
                    settle();
                } finally {
                    Memory.whole();
                    over = true;
                    Deadline.join(timer);
                }
                return findings.isEmpty() ? null : findings.toString();
            } catch (Exception | AssertionError wrong) {
                StringWriter trace = new StringWriter();
                wrong.printStackTrace(new PrintWriter(trace));
                return trace + "\n where memory ran out: " + Memory.where();
            }
        }

        /**
         * Lets time go by in steps, and has done what is due: groups that stalled are tried again. With timers the way
         * moves the clock itself, for that says whether a successor hops.
         */
        private void keepTime() {
            while (!over) {
                if (played || !surrounded.hasTimers()) {
                    clock.advance(Duration.ofMillis(5));
                }
                due();
                LockSupport.parkNanos(100_000);
            }
        }

        private synchronized void due() {
            if (!surrounded.hasTimers()) {
                step(() -> {
                    EngineAccess.runDue(executor);
                    return null;
                });
            }
        }

        /** Takes a step that may fail for want of memory. */
        @Override
        protected @Nullable Object step(Step step) {
            try {
                return step.take();
            } catch (OutOfMemoryError meant) {
                // Nothing may have come of it.
            } catch (RejectedExecutionException | IllegalStateException | InterruptedException refused) {
                // Fine too.
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof OutOfMemoryError)) {
                    findings.add("failed with " + e);
                }
            } catch (Exception wrong) {
                findings.add("failed with " + wrong);
            }
            return null;
        }

        /** What has to wait for memory is waited for when there is some. */
        @Override
        protected void await(String what, BooleanSupplier condition) {
            super.await(what, () -> condition.getAsBoolean() || Memory.hasRunOut());
        }

        @Override
        protected void awaitTimeOuts(Duration time) {
            timePasses(time);
            Memory.whole();
            super.awaitTimeOuts(time); // though there was no memory when it was time
        }

        @Override
        protected void timePasses(Duration time) {
            clock.advance(time);
            due();
        }

        @Override
        protected void open(Gate gate) {
            if (surrounded == Surrounded.HOPS) {
                clock.advance(LONG_SINCE_THE_LAST_HOP);
            }
            super.open(gate);
        }

        @Override
        protected void calm() {
            Deadline.until("given back", this::isCalm);
        }

        private boolean isCalm() {
            closeGranted();
            return KEYS.stream().allMatch(key -> running(key) == 0);
        }

        int running(String key) {
            Group group = EngineAccess.engine(executor).groupIfKnown(key);
            return group == null ? 0 : group.running();
        }

        @Override
        protected void close(GroupPermit permit) {
            try {
                permit.close();
            } catch (OutOfMemoryError lost) {
                throw new AssertionError("close() wants memory", lost);
            }
        }

        /** Waits for all that was let in, and has the executor audited. */
        private void settle() throws Exception {
            if (surrounded.hasTimers()) {
                executor.call("other", () -> 1); // who comes next makes the thread for which there was no memory
            }
            for (Caller<?> caller : end()) {
                caller.result();
            }
            if (!executor.isShutdown()) {
                requireRoom(executor);
            }
            Audit.check(executor, null, true);
            if (way == Ways.IDLE) {
                executor.call("last", () -> 1);
                Deadline.until("idle groups gone", () -> executor.groupKeys().isEmpty());
            }
        }
    }

    /** The engine's memory: called by the changed engine wherever it makes something. */
    public static final class Memory {

        private static int left;
        private static int asked;
        private static boolean lasting;
        private static boolean limited;
        private static boolean ranOut;
        private static @Nullable Throwable first;

        private Memory() {}

        static synchronized void runsOutAt(int place, boolean forLong) {
            left = place;
            asked = 0;
            lasting = forLong;
            limited = true;
            ranOut = false;
            first = null;
        }

        /** There is memory again. */
        static synchronized void whole() {
            limited = false;
        }

        /** At how many places memory was asked for since it became limited. */
        static synchronized int asked() {
            return asked;
        }

        static synchronized boolean hasRunOut() {
            return ranOut;
        }

        static synchronized String where() {
            StringWriter trace = new StringWriter();
            if (first != null) {
                first.printStackTrace(new PrintWriter(trace));
            }
            return trace.toString();
        }

        public static synchronized void take() {
            if (!limited) {
                return;
            }
            asked++;
            if (--left == 0 || (left < 0 && lasting)) {
                ranOut = true;
                OutOfMemoryError lack = new OutOfMemoryError("as the test wants it");
                if (first == null) {
                    first = lack;
                }
                throw lack;
            }
        }
    }

    /** Has the engine take from {@link Memory} before it makes anything, or has the JDK make something for it. */
    private static final class LackingMemory extends NamedVisitor {

        private static final Set<String> MAKERS = Set.of(
                "add", "put", "putIfAbsent", "ensureCapacity", "replace", "copyOf", "toArray", "of", "ofNullable");

        /** Classes with methods that add to lists in which room has been made before. */
        private static final Map<String, Set<String>> RESERVED = Map.of(
                "io/github/kobe/internal/permits/Batch",
                Set.of("grantedAside"),
                "io/github/kobe/internal/permits/Endings",
                Set.of("add"),
                "io/github/kobe/internal/doors/ViewEntry",
                Set.of("withdrawTo"),
                "io/github/kobe/internal/permits/IdleGroups$Removals",
                Set.of("add"));

        /** What it was told of by name and has found. */
        private final Set<String> met;

        LackingMemory(ClassVisitor next, Set<String> met) {
            super(next);
            this.met = met;
        }

        private boolean isReserved(String method) {
            return RESERVED.getOrDefault(className(), Set.of()).contains(method) && met(className() + "." + method);
        }

        private boolean met(String name) {
            met.add(name);
            return true;
        }

        static List<String> names() {
            List<String> names = new ArrayList<>(MAKERS);
            RESERVED.forEach((type, methods) -> methods.forEach(method -> names.add(type + "." + method)));
            return names;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            if (name.equals("<clinit>") || isReserved(name)) {
                return method;
            }
            return new MethodVisitor(Opcodes.ASM9, method) {

                private void take() {
                    super.visitMethodInsn(
                            Opcodes.INVOKESTATIC,
                            "io/github/kobe/internal/doors/MemoryExhaustionTests$Memory",
                            "take",
                            "()V",
                            false);
                }

                @Override
                public void visitTypeInsn(int opcode, String type) {
                    super.visitTypeInsn(opcode, type);
                    // After it, for the frames know a new object by the place where it is made.
                    if ((opcode == Opcodes.NEW && !type.endsWith("Error") && !type.endsWith("Exception"))
                            || opcode == Opcodes.ANEWARRAY) {
                        take();
                    }
                }

                @Override
                public void visitIntInsn(int opcode, int operand) {
                    if (opcode == Opcodes.NEWARRAY) {
                        take();
                    }
                    super.visitIntInsn(opcode, operand);
                }

                @Override
                public void visitInvokeDynamicInsn(
                        String called, String type, org.objectweb.asm.Handle bootstrap, Object... arguments) {
                    take();
                    super.visitInvokeDynamicInsn(called, type, bootstrap, arguments);
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String type, boolean onInterface) {
                    if (owner.startsWith("java/util/") && MAKERS.contains(called) && met(called)) {
                        take();
                    }
                    super.visitMethodInsn(opcode, owner, called, type, onInterface);
                }
            };
        }
    }
}
