package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.EngineAccess.Surroundings;
import io.github.kobe.audit.Audit;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.schedules.EngineLoader;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Each program below is run again and again, and each time memory runs out at the next place in the engine where anything
 * is made: once at that place, or from there to the end of the program. Afterwards nothing may be lost: the handles are
 * done, the permits are back, and the executor works.
 */
@Tag("E16")
@SuppressWarnings({"FutureReturnValueIgnored", "NonAtomicVolatileUpdate", "Finally"
}) // nothing may come back; one thread writes; a failed close is a finding
class MemoryExhaustionTests {

    private static final int MOST_PLACES = 2_000;

    private static final int AT_ONCE = 6;

    /** After that much, the next successor starts by way of the housekeeper. */
    private static final Duration LONG_SINCE_THE_LAST_HOP = Duration.ofMillis(100);

    /** They wait more than they compute, so all run at once; each has an engine and a memory of its own. */
    private static final Map<Program, Future<List<String>>> FINDINGS = new EnumMap<>(Program.class);

    @BeforeAll
    static void runAll() {
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (Program program : Program.values()) {
                FINDINGS.put(program, threads.submit(() -> runAtEveryPlace(program)));
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static List<String> runAtEveryPlace(Program program) {
        EngineLoader loader = new EngineLoader(LackingMemory::new);
        loader.initialiseAll();
        Function<String, List<String>> runs = loader.newInstance(Function.class, Runs.class);
        return runs.apply(program.name());
    }

    @ParameterizedTest
    @EnumSource(Program.class)
    void aLackOfMemoryLosesNothing(Program program) throws Exception {
        assertThat(FINDINGS.get(program).get()).isEmpty();
    }

    /** What is done with an executor while memory runs out. */
    enum Program {
        SUBMIT,
        QUEUE_AND_CANCEL,
        GLOBAL_LIMIT,
        CALLERS,
        NESTED_CALLERS,
        ASYNC_PERMITS,
        ASYNC_TASKS,
        TIME_OUTS,
        LENDING,
        GLOBAL_LENDING,
        CONTROL,
        REJECTIONS,
        VIEW,
        BATCH,
        VIEW_TIME_OUTS,
        IDLE_GROUPS,
        GROUP_SHUTDOWN,
        SHUTDOWN,
        LISTENER,
        INTERRUPTED_LENDER,
        LATE_STAGES,
        HANDED_OVER,
        HANDED_OVER_WITH_LATE_STAGES,
        CALLER_BEHIND_OTHERS,
        HOUSEKEEPER_HOPS,
        HOUSEKEEPER_STARTS_HERE;

        /** {@return whether the engine's own thread does what is due, not one of the trial's} */
        boolean hasTimers() {
            return this == HOUSEKEEPER_HOPS || this == HOUSEKEEPER_STARTS_HERE;
        }
    }

    /** Runs a program by its name until memory has run out at every place; loaded with the changed engine. */
    static final class Runs implements Function<String, List<String>> {
        @Override
        public List<String> apply(String name) {
            List<String> found = new ArrayList<>();
            for (boolean lasting : new boolean[] {false, true}) {
                int place = 1;
                while (place < MOST_PLACES && found.isEmpty()) {
                    Memory.whole();
                    String finding = new Trial(Program.valueOf(name), place, lasting).run();
                    if (finding != null) {
                        found.add("place " + place + (lasting ? " and after: " : ": ") + finding);
                    }
                    if (!Memory.hasRunOut()) {
                        break;
                    }
                    place++;
                }
                if (place >= MOST_PLACES) {
                    found.add("more than " + place + " places");
                }
            }
            return found;
        }
    }

    /** One run of a program. */
    private static final class Trial {

        private final Program program;
        private final int place;
        private final boolean lasting;
        private final ManualClock clock = new ManualClock();
        private final Gate gate = new Gate();
        private final List<Object> kept = new ArrayList<>();
        private final List<Caller<?>> callers = new ArrayList<>();
        private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();
        private volatile boolean played;
        private volatile boolean over;

        Trial(Program program, int place, boolean lasting) {
            this.program = program;
            this.place = place;
            this.lasting = lasting;
        }

        /** {@return what is wrong afterwards; {@code null} if nothing is} */
        @Nullable
        String run() {
            try (GroupExecutor executor = EngineAccess.newExecutor(policy(), environment())) {
                Thread timer = Thread.ofPlatform().start(() -> keepTime(executor));
                try {
                    Memory.runsOutAt(place, lasting);
                    play(executor);
                    played = true;
                    gate.open();
                    Memory.whole();
                    settle(executor);
                } finally {
                    Memory.whole();
                    gate.open();
                    over = true;
                    timer.join();
                }
                return findings.isEmpty() ? null : findings.toString();
            } catch (Exception | AssertionError wrong) {
                StringWriter trace = new StringWriter();
                wrong.printStackTrace(new PrintWriter(trace));
                return trace + "\n where memory ran out: " + Memory.where();
            }
        }

        /** With a thread of the engine's own, or else one of the trial's that does its work. */
        private Surroundings environment() {
            return program.hasTimers() ? clock.withTimers() : clock.environment();
        }

        /**
         * Lets time go by in steps, and has done what is due: groups that stalled are tried again. A program with timers
         * moves the clock itself, for that says whether a successor hops.
         */
        private void keepTime(GroupExecutor executor) {
            while (!over) {
                if (played || !program.hasTimers()) {
                    clock.advance(Duration.ofMillis(5));
                }
                if (!program.hasTimers()) {
                    attempt(() -> due(executor));
                }
                LockSupport.parkNanos(100_000);
            }
        }

        private GroupPolicy policy() {
            GroupPolicy.Builder builder = GroupPolicy.builder();
            return switch (program) {
                case GLOBAL_LIMIT, GLOBAL_LENDING, NESTED_CALLERS, INTERRUPTED_LENDER ->
                    builder.globalMaxInFlight(2).build();
                case TIME_OUTS, VIEW_TIME_OUTS ->
                    builder.defaults(GroupLimits.unset().withQueueTimeout(Duration.ofSeconds(1)))
                            .build();
                case REJECTIONS -> builder.defaultQueueThresholdPerGroup(1).build();
                case IDLE_GROUPS ->
                    builder.maxIdleGroups(1).idleTimeout(Duration.ofSeconds(1)).build();
                case LISTENER ->
                    builder.taskLifecycleListener(new TaskLifecycleListener() {})
                            .build();
                default -> builder.build();
            };
        }

        private interface Step {
            @Nullable
            Object take() throws Exception;
        }

        /** Takes a step that may fail for want of memory, and keeps what it gives. */
        private void attempt(Step step) {
            try {
                Object got = step.take();
                if (got != null) {
                    synchronized (kept) {
                        kept.add(got);
                    }
                }
            } catch (OutOfMemoryError meant) {
                // Nothing may have come of it.
            } catch (RejectedTaskException | IllegalStateException refused) {
                // Fine too.
            } catch (Exception wrong) {
                findings.add("failed with " + wrong);
            }
        }

        private static void close(GroupPermit permit) {
            permit.close();
        }

        private TaskHandle<Integer> held(GroupExecutor executor, String key) {
            return executor.submit(key, "held", () -> {
                gate.pass();
                return 1;
            });
        }

        private void play(GroupExecutor executor) {
            switch (program) {
                case SUBMIT -> {
                    for (int i = 0; i < 3; i++) {
                        attempt(() -> executor.submit("g", "t", () -> 1));
                        attempt(() -> executor.submit(new GroupTask<>("h", "t", () -> 1))
                                .join());
                    }
                }
                case QUEUE_AND_CANCEL -> {
                    attempt(() -> held(executor, "g"));
                    attempt(() -> executor.submit("g", "1", () -> 1));
                    attempt(() -> executor.submit("g", "2", () -> 1).cancel(true));
                    attempt(() -> executor.submit("g", "3", () -> 1).toCompletableFuture());
                }
                case GLOBAL_LIMIT -> {
                    for (String key : List.of("g", "h", "i")) {
                        attempt(() -> held(executor, key));
                        attempt(() -> executor.submit(key, "t", () -> 1));
                    }
                    attempt(() -> executor.awaitQuiet(Duration.ZERO));
                }
                case CALLERS -> {
                    attempt(() -> executor.call("g", () -> 1));
                    attempt(() -> withPermit(executor.acquire("g"), () -> 1));
                    attempt(() -> withPermit(executor.acquire("new"), () -> 1));
                    attempt(() -> held(executor, "g"));
                    attempt(() -> executor.tryAcquire("g", Duration.ZERO)
                            .map(p -> withPermit(p, () -> 1))
                            .orElse(null));
                    called(() -> executor.call("g", () -> 1));
                    called(() -> withPermit(executor.acquire("g"), () -> 1));
                }
                case NESTED_CALLERS -> {
                    called(() -> executor.call("g", () -> executor.call("h", () -> executor.call("g", () -> 1))));
                    called(() -> withPermit(executor.acquire("g"), () -> withPermit(executor.acquire("h"), () -> 1)));
                    attempt(() -> held(executor, "h"));
                    attempt(() -> executor.submit("i", "t", () -> executor.call("g", () -> 1)));
                }
                case ASYNC_PERMITS -> {
                    attempt(() -> executor.acquireAsync("g"));
                    attempt(() -> executor.acquireAsync("g"));
                    attempt(() ->
                            executor.acquireAsync("g").toCompletableFuture().cancel(true));
                    attempt(() -> executor.acquireAsync("g"));
                }
                case ASYNC_TASKS -> {
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    attempt(() -> executor.submitAsync("g", "1", () -> stage));
                    attempt(() -> executor.submitAsync("g", "2", () -> CompletableFuture.completedFuture(1)));
                    attempt(() -> executor.submitAsync("h", "3", () -> stage).cancel(true));
                    stage.complete(1);
                }
                case TIME_OUTS -> {
                    attempt(() -> held(executor, "g"));
                    attempt(() -> executor.submit("g", "1", () -> 1));
                    attempt(() ->
                            executor.submit(new GroupTask<>("g", "2", () -> 1).withQueueTimeout(Duration.ofMillis(1))));
                    clock.advance(Duration.ofMillis(2));
                    attempt(() -> due(executor));
                    clock.advance(Duration.ofSeconds(2));
                    attempt(() -> due(executor));
                    Memory.whole();
                    Deadline.until(
                            () -> "timed out, though there was no memory when it was time: " + executor.stats(),
                            () -> executor.stats().queued() == 0);
                }
                case LENDING -> {
                    attempt(() -> executor.submit(
                            "g",
                            "outer",
                            () -> executor.submit("g", "inner", () -> 1).await()));
                    called(() -> executor.call(
                            "h", () -> executor.submit("h", "inner", () -> 1).join()));
                }
                case GLOBAL_LENDING -> {
                    for (String key : List.of("g", "h", "i")) {
                        attempt(() -> executor.submit(
                                key,
                                "outer",
                                () -> executor.submit("j", "inner", () -> 1).await()));
                    }
                }
                case CONTROL -> {
                    attempt(() -> held(executor, "g"));
                    attempt(() -> executor.submit("g", "1", () -> 1));
                    attempt(() -> {
                        executor.setLimits("g", GroupLimits.unset().withMaxConcurrency(3));
                        return null;
                    });
                    attempt(() -> {
                        executor.pause("h");
                        return executor.submit("h", "1", () -> 1);
                    });
                    attempt(() -> {
                        executor.updatePolicy(
                                policy().toBuilder().globalMaxInFlight(5).build());
                        return null;
                    });
                    attempt(() -> {
                        executor.evictGroup("g");
                        return executor.submit("g", "2", () -> 1);
                    });
                    attempt(() -> {
                        executor.resetLimits("g");
                        return executor.groupStats("g");
                    });
                }
                case REJECTIONS -> {
                    attempt(() -> held(executor, "g"));
                    attempt(() -> executor.submit("g", "1", () -> 1));
                    attempt(() -> executor.submit("g", "2", () -> 1));
                    attempt(() -> executor.acquireAsync("g"));
                    attempt(() -> executor.call("g", Duration.ZERO, () -> 1));
                }
                case VIEW ->
                    called(() -> {
                        ExecutorService view = executor.asExecutorService("g");
                        attempt(() -> view.submit(() -> 1));
                        attempt(() -> view.submit(() -> 1).cancel(true));
                        attempt(() -> view.invokeAll(List.of(() -> 1, () -> 2)));
                        attempt(() -> view.invokeAny(List.of(() -> 1, () -> 2)));
                        attempt(() -> view.shutdownNow());
                        return null;
                    });
                case BATCH ->
                    called(() -> executor.executeAll(List.of(
                            new GroupTask<>("g", "1", () -> 1),
                            new GroupTask<>("g", "2", () -> 2),
                            new GroupTask<>("h", "3", () -> 3))));
                case VIEW_TIME_OUTS ->
                    attempt(() -> {
                        ExecutorService view = executor.asExecutorService("g");
                        attempt(() -> held(executor, "g"));
                        attempt(() -> view.submit(() -> 1));
                        clock.advance(Duration.ofSeconds(2));
                        attempt(() -> due(executor));
                        view.shutdown();
                        return view;
                    });
                case INTERRUPTED_LENDER -> {
                    attempt(() -> held(executor, "i"));
                    called(() -> executor.call("g", () -> {
                        TaskHandle<Integer> inner = held(executor, "h");
                        attempt(() -> inner);
                        attempt(() -> executor.submit("k", "waits", () -> 1));
                        Thread.currentThread().interrupt();
                        try {
                            return inner.await();
                        } catch (InterruptedException meant) {
                            return null;
                        }
                    }));
                    Caller<?> lender = callers.getLast();
                    Deadline.until(
                            "it waits to have its permits back",
                            () -> lender.isDone() || LockSupport.getBlocker(lender.thread()) instanceof Loan);
                }
                case LATE_STAGES -> {
                    attempt(() -> {
                        executor.pause("h");
                        return executor.submit("h", "1", () -> 1);
                    });
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    attempt(() -> executor.submitAsync("g", "late", () -> stage));
                    Group group = executor.engine().groupIfKnown("g");
                    Deadline.until("its code has ended", () -> group == null || group.running() == 0);
                    Set<AsyncTail> tails = executor.engine().tails;
                    if (tails.isEmpty()) {
                        stage.complete(1); // there was no memory to follow it
                    } else {
                        tails.forEach(tail -> tail.late = true);
                    }
                    executor.engine().hasLateTails = true;
                    attempt(() -> {
                        executor.resume("h");
                        return null;
                    });
                    Deadline.until("who comes next has seen to it", () -> tails.isEmpty() || Memory.hasRunOut());
                }
                case HANDED_OVER, HANDED_OVER_WITH_LATE_STAGES -> {
                    Gate own = new Gate();
                    attempt(() -> executor.submit("g", "1", own.then("1")));
                    for (int i = 2; i <= 4; i++) {
                        attempt(() -> executor.submit("g", "behind", () -> 2));
                    }
                    executor.engine().hasLateTails = program == Program.HANDED_OVER_WITH_LATE_STAGES;
                    own.open();
                    Group group = executor.engine().groupIfKnown("g");
                    Deadline.until("given back", () -> group == null || group.running() == 0);
                }
                case CALLER_BEHIND_OTHERS -> {
                    Gate own = new Gate();
                    attempt(() -> executor.submit("g", "1", own.then("1")));
                    attempt(() -> executor.submit("g", "2", () -> 2));
                    called(() -> executor.call("g", () -> 3));
                    Caller<?> caller = callers.getLast();
                    Deadline.until(
                            "it waits",
                            () -> caller.isDone() || LockSupport.getBlocker(caller.thread()) instanceof Waiter);
                    attempt(() -> executor.submit("g", "4", () -> 4));
                    own.open();
                    Group group = executor.engine().groupIfKnown("g");
                    Deadline.until("given back", () -> group == null || group.running() == 0);
                }
                case HOUSEKEEPER_HOPS, HOUSEKEEPER_STARTS_HERE -> {
                    Gate own = new Gate();
                    attempt(() -> executor.submit("g", "1", own.then("1")));
                    attempt(() -> executor.submit("g", "2", () -> 2));
                    if (program == Program.HOUSEKEEPER_HOPS) {
                        clock.advance(LONG_SINCE_THE_LAST_HOP);
                    }
                    own.open();
                    Group group = executor.engine().groupIfKnown("g");
                    Deadline.until("given back", () -> group == null || group.running() == 0);
                }
                case IDLE_GROUPS -> {
                    for (String key : List.of("g", "h", "i")) {
                        attempt(() -> executor.call(key, () -> 1));
                    }
                    clock.advance(Duration.ofSeconds(3));
                    attempt(() -> due(executor));
                }
                case GROUP_SHUTDOWN -> {
                    attempt(() -> held(executor, "g"));
                    attempt(() -> executor.submit("g", "1", () -> 1));
                    attempt(() -> executor.acquireAsync("g"));
                    attempt(() -> {
                        executor.shutdownGroup("g");
                        return null;
                    });
                }
                case SHUTDOWN -> {
                    attempt(() -> held(executor, "g"));
                    attempt(() -> executor.submit("g", "1", () -> 1));
                    attempt(() -> executor.submit("g", "2", () -> 1));
                    attempt(() -> executor.acquireAsync("g"));
                    attempt(() -> {
                        executor.shutdown();
                        return null;
                    });
                }
                case LISTENER -> {
                    attempt(() -> held(executor, "g"));
                    attempt(() -> executor.submit("g", "1", () -> 1));
                    attempt(() -> executor.submit("g", "2", () -> 1).cancel(true));
                    attempt(() -> executor.acquireAsync("g"));
                    attempt(() -> executor.call("h", () -> 1));
                    attempt(() -> withPermit(executor.acquire("h"), () -> 1));
                }
            }
        }

        private synchronized @Nullable Object due(GroupExecutor executor) {
            EngineAccess.runDue(executor);
            return null;
        }

        private void called(Step step) {
            callers.add(Caller.start(() -> {
                attempt(step);
                return null;
            }));
        }

        private static Object withPermit(GroupPermit permit, Step inside) {
            try {
                return inside.take();
            } catch (Exception e) {
                throw new AssertionError(e);
            } finally {
                try {
                    close(permit);
                } catch (OutOfMemoryError lost) {
                    throw new AssertionError("close() wants memory", lost);
                }
            }
        }

        /** Waits for all that was let in, and has the executor audited. */
        private void settle(GroupExecutor executor) throws Exception {
            executor.resume("h");
            if (program.hasTimers()) {
                executor.call("other", () -> 1); // who comes next makes the thread for which there was no memory
            }
            List<Object> all;
            synchronized (kept) {
                all = List.copyOf(kept);
            }
            for (Object got : all) {
                Deadline.until(() -> "done: " + got + " of " + program, () -> isDone(got));
            }
            for (Caller<?> caller : callers) {
                caller.result();
            }
            if (!executor.isShutdown()) {
                for (String key : executor.groupKeys()) {
                    Deadline.within(() -> executor.call(key, () -> 1)); // returns once a stall is over
                }
            }
            Audit.check(executor, null, true);
            if (program == Program.IDLE_GROUPS) {
                executor.call("last", () -> 1);
                Deadline.until("idle groups gone", () -> executor.groupKeys().isEmpty());
            }
        }

        private static boolean isDone(Object got) {
            if (got instanceof TaskHandle<?> handle) {
                return handle.isDone();
            }
            if (got instanceof CompletionStage<?> stage) {
                CompletableFuture<?> future = stage.toCompletableFuture();
                boolean done = future.isDone(); // looked at once: what completes after it has to be closed
                if (done && !future.isCompletedExceptionally() && future.join() instanceof GroupPermit permit) {
                    close(permit);
                }
                return done;
            }
            return !(got instanceof ExecutorService view) || view.isTerminated();
        }
    }

    /** The engine's memory: called by the changed engine wherever it makes something. */
    static final class Memory {

        private static int left;
        private static boolean lasting;
        private static boolean limited;
        private static boolean ranOut;
        private static @Nullable Throwable first;

        private Memory() {}

        static synchronized void runsOutAt(int place, boolean forLong) {
            left = place;
            lasting = forLong;
            limited = true;
            ranOut = false;
            first = null;
        }

        /** There is memory again. */
        static synchronized void whole() {
            limited = false;
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

        static synchronized void take() {
            if (limited && (--left == 0 || (left < 0 && lasting))) {
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
    private static final class LackingMemory extends ClassVisitor {

        private static final Set<String> MAKERS = Set.of(
                "add", "addLast", "put", "putIfAbsent", "ensureCapacity", "replace", "offer", "copyOf", "toArray");

        private String className = "";

        LackingMemory(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visit(
                int version,
                int access,
                String name,
                @Nullable String signature,
                @Nullable String superName,
                String @Nullable [] interfaces) {
            className = name;
            super.visit(version, access, name, signature, superName, interfaces);
        }

        /** Adds to lists in which room has been made before. */
        private boolean isReserved(String method) {
            return className.startsWith("io/github/kobe/Batch")
                    && (method.equals("add") || method.equals("grantedAside"));
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
                            Opcodes.INVOKESTATIC, "io/github/kobe/MemoryExhaustionTests$Memory", "take", "()V", false);
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
                    if (owner.startsWith("java/util/") && MAKERS.contains(called)) {
                        take();
                    }
                    super.visitMethodInsn(opcode, owner, called, type, onInterface);
                }
            };
        }
    }
}
