package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Forks;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.schedules.EngineLoader;
import io.github.kobe.scope.CancellationToken;
import io.github.kobe.scope.ForkInfo;
import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.RetryPolicy;
import io.github.kobe.scope.ScopeListener;
import io.github.kobe.scope.ScopeSettings;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A group in which nothing could be granted for want of memory, and no thread to try again: it has room and work, and is
 * not stalled. Whoever comes next starts what can start. A time-out that begins without that thread isn't lost either, nor
 * is a fork that would need it.
 */
@Tag("I4")
public class NoThreadForRetriesTests {

    private static Object run(Class<? extends Supplier<?>> scenario) {
        return new EngineLoader(Lack::new).newInstance(Supplier.class, scenario).get();
    }

    @Test
    void whoGivesBackNextFillsTheRoomThatIsThere() {
        assertThat(run(GivesBack.class)).isEqualTo(2);
    }

    @Test
    void whoQueuesNextFillsTheRoomThatIsThere() {
        assertThat(run(Queues.class)).isEqualTo(1);
    }

    @Tag("SH3")
    @Test
    void whoGaveBackWithoutMemoryHasItsTurnByWhatItHoldsSince() {
        assertThat(run(Leaves.class)).isEqualTo(1);
    }

    @Tag("E17")
    @Test
    void whoIsBehindAGroupThatHasLeftOffIsNotForgottenWhenThatOneGivesBack() {
        assertThat(run(IsBehind.class)).isEqualTo("started");
    }

    @Tag("E13")
    @Test
    void whoIsLentAPermitOfItsGroupAndLacksAGlobalOneGetsTheNextThatIsFree() {
        assertThat(run(Borrows.class)).isEqualTo("joined");
    }

    @Tag("E3")
    @Test
    void whoseTimeIsUpWaitsNoLongerThanUntilThereIsAThread() {
        assertThat(run(TimesOut.class)).isEqualTo(0L);
    }

    @Tag("E3")
    @Test
    void whoQueuesBehindOthersMakesTheThreadForTheirTimeOuts() {
        assertThat(run(TimesOutBehind.class)).isEqualTo("running");
    }

    @Tag("T38")
    @Test
    void whoHasNoAlarmForItsNextAttemptNorMemoryToSaySoFails() {
        assertThat(run(TriesAgain.class)).isEqualTo("as the test wants it");
    }

    @Tag("T37")
    @Test
    void whoHasNoAlarmForItsTimeEndsOnceThoughThereIsNoMemoryToTellItsListeners() {
        assertThat(run(IsNotTimed.class)).isEqualTo("The thread for timers could not be started");
    }

    @Tag("S7")
    @Test
    void whoWasCancelledWhileItWasSubmittedEndsOnceThoughItCouldNotLeaveItsQueue() {
        assertThat(run(StaysQueued.class)).isEqualTo(Subtask.Phase.CANCELLED.name());
    }

    static final class GivesBack implements Supplier<Integer> {
        @Override
        public Integer get() {
            Gate gate = new Gate();
            Gate second = new Gate();
            Gate third = new Gate();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build())) {
                TaskHandle<String> one = executor.submit("a", "one", gate.then("one"));
                TaskHandle<String> two = executor.submit("a", "two", second.then("two"));
                for (int i = 0; i < 3; i++) {
                    executor.submit("a", "behind", third.then("done"));
                }
                second.awaitArrived(1);
                endWithoutMemory(gate, one);
                second.open();
                two.join();
                int running = executor.groupStats("a").orElseThrow().running();
                third.open();
                return running;
            }
        }
    }

    static final class Queues implements Supplier<Integer> {
        @Override
        public Integer get() {
            Gate gate = new Gate();
            Gate second = new Gate();
            try (GroupExecutor executor =
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
                TaskHandle<String> one = executor.submit("a", "one", gate.then("one"));
                executor.submit("a", "behind", second.then("done"));
                endWithoutMemory(gate, one);
                executor.submit("a", "next", second.then("done"));
                int running = executor.groupStats("a").orElseThrow().running();
                second.open();
                return running;
            }
        }
    }

    /** Two groups that hold one each and wait for another; one gives back, and has no memory to decide what follows. */
    static final class Leaves implements Supplier<Integer> {
        @Override
        public Integer get() {
            Gate leaving = new Gate();
            Gate staying = new Gate();
            Gate next = new Gate();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                    .globalMaxInFlight(2)
                    .defaultMaxConcurrencyPerGroup(10)
                    .build())) {
                Caller<String> leaves = Caller.start(() -> executor.call("leaves", leaving.then("one")));
                leaving.awaitArrived(1);
                Caller<String> stays = Caller.start(() -> executor.call("stays", staying.then("one")));
                staying.awaitArrived(1);
                executor.submit("stays", "waits", next.then("done"));
                executor.submit("leaves", "waits", next.then("done"));
                Shortage.batches = true;
                leaving.open();
                assertThat(resultOf(leaves)).isEqualTo("one");
                Shortage.batches = false;
                assertThat(Shortage.MET).containsExactlyInAnyOrder("batches", "threads");
                executor.pause("another");
                int running = executor.groupStats("leaves").orElseThrow().running();
                next.open();
                staying.open();
                assertThat(resultOf(stays)).isEqualTo("one");
                return running;
            }
        }
    }

    /**
     * A group has left off, amid the turns of two threads, and nobody waits for quiet any more. One of it gives back
     * without memory for a batch before either of the two goes on.
     */
    static final class IsBehind implements Supplier<String> {
        private static final int WAITING = 250;
        private static final int PORTION = 100;

        /** Taken once, by the next who makes a thread. */
        private final AtomicReference<Runnable> inBetween = new AtomicReference<>();

        private Thread make(String name, Runnable work) {
            Runnable once = inBetween.getAndSet(null);
            if (once != null) {
                once.run();
            }
            return TaskThreads.VIRTUAL.unstarted(name, work);
        }

        @Override
        public String get() {
            Gate gate = new Gate();
            Gate leftOff = new Gate();
            Gate end = new Gate();
            AtomicReference<Caller<String>> behind = new AtomicReference<>();
            GroupLimits longTurns = GroupLimits.unset().withWeight(1_000);
            try (GroupExecutor executor = EngineAccess.newExecutor(
                    GroupPolicy.builder().group("a", longTurns).build(),
                    new Surroundings(System::nanoTime, this::make, true).withPortion(PORTION))) {
                executor.submit("b", "used before", () -> "done").join();
                TaskHandle<String> one = executor.submit("a", "one", gate.then("one"));
                gate.awaitArrived(1);
                for (int i = 0; i < WAITING; i++) {
                    executor.submit("a", "waits", end.stubbornlyThen("done"));
                }
                Caller<Boolean> watcher = Caller.start(() -> executor.awaitQuiet(Deadline.LONG));
                watcher.awaitBlocked();
                inBetween.set(() -> {
                    watcher.interrupt();
                    Deadline.until("nobody waits for quiet", watcher::isDone);
                    inBetween.set(leftOff::passStubbornly);
                    behind.set(Caller.start(() -> executor.call("b", () -> "started")));
                    leftOff.awaitArrived(1);
                    Shortage.batches = true;
                    gate.open();
                    assertThat(one.join().value()).isEqualTo("one");
                    Shortage.batches = false;
                    assertThat(Shortage.MET).contains("batches");
                    leftOff.open();
                });
                executor.setLimits("a", longTurns.withMaxConcurrency(WAITING + 1));
                String ran = resultOf(behind.get());
                end.open();
                return ran;
            }
        }
    }

    /** The owner's global permit is lent to one fork. The other fork has what it needs of its group, and waits for one. */
    static final class Borrows implements Supplier<String> {
        @Override
        public String get() {
            Gate gate = new Gate();
            Gate first = new Gate();
            Gate second = new Gate();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().globalMaxInFlight(2).build())) {
                TaskHandle<String> one = executor.submit("z", "one", gate.then("one"));
                gate.awaitArrived(1);
                Caller<String> owner = Caller.start(() -> executor.call(
                        "a",
                        () -> executor.call("b", () -> {
                            Forks forks = new Forks(executor, null);
                            forks.fork("a", "first", first.then("done"));
                            forks.fork("b", "second", second.then("done"));
                            forks.join();
                            return "joined";
                        })));
                first.awaitArrived(1);
                owner.awaitBlocked();
                endWithoutMemory(gate, one);
                Shortage.threads = false;
                executor.pause("another");
                second.awaitArrived(1);
                first.open();
                second.open();
                return resultOf(owner);
            }
        }
    }

    static final class TimesOut implements Supplier<Long> {
        @Override
        public Long get() {
            Duration soon = Duration.ofMillis(50);
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                    .group("b", GroupLimits.unset().withQueueTimeout(soon))
                    .build())) {
                executor.pause("a");
                executor.pause("b");
                executor.pause("z");
                TaskHandle<String> byItself =
                        executor.submit(new GroupTask<>("a", "waits", () -> "never").withQueueTimeout(soon));
                TaskHandle<String> byItsGroup = executor.submit("b", "waits", () -> "never");
                assertThat(Shortage.MET).containsExactly("threads");
                Shortage.threads = false;
                TaskHandle<String> later =
                        executor.submit(new GroupTask<>("z", "later", () -> "never").withQueueTimeout(soon));
                assertTimesOut(later);
                assertTimesOut(byItself);
                assertTimesOut(byItsGroup);
                return executor.stats().queued();
            }
        }
    }

    /** The group is full, and both wait in it: no batch is carried out for the second. */
    static final class TimesOutBehind implements Supplier<String> {
        @Override
        public String get() {
            Gate gate = new Gate();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                    .group("b", GroupLimits.unset().withQueueTimeout(Duration.ofMillis(50)))
                    .build())) {
                TaskHandle<String> holder = executor.submit("b", "holder", gate.then("running"));
                gate.awaitArrived(1);
                TaskHandle<String> first = executor.submit("b", "first", () -> "never");
                assertThat(Shortage.MET).containsExactly("threads");
                Shortage.threads = false;
                TaskHandle<String> second = executor.submit("b", "second", () -> "never");
                try {
                    assertTimesOut(first);
                    assertTimesOut(second);
                } finally {
                    gate.open();
                }
                return holder.join().value();
            }
        }
    }

    static final class TriesAgain implements Supplier<String> {
        @Override
        public String get() {
            RetryPolicy retry = RetryPolicy.attempts(2).withDelay(Duration.ofDays(1));
            try (GroupExecutor executor =
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
                return resultOf(Caller.start(() -> {
                    try (var scope =
                            Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
                        Subtask<Object> fork = scope.fork(ForkOptions.in("a").withRetry(retry), () -> {
                            Shortage.reasons = true;
                            throw new Exception("to be tried again");
                        });
                        scope.join();
                        assertThat(Shortage.MET).containsExactlyInAnyOrder("reasons", "threads");
                        return fork.exception().getMessage();
                    }
                }));
            }
        }
    }

    static final class IsNotTimed implements Supplier<String> {
        @Override
        public String get() {
            try (GroupExecutor executor =
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
                return resultOf(Caller.start(() -> {
                    try (var scope = Scopes.of(executor)
                            .open(
                                    Joiner.<Object>supervise(),
                                    settings -> settings.withoutTimeout().withListener(new ScopeListener() {
                                        @Override
                                        public void onFailure(ForkInfo fork, Throwable failure, Duration ran) {}
                                    }))) {
                        Shortage.infos = true;
                        Subtask<Object> fork =
                                scope.fork(ForkOptions.in("a").withTimeout(Duration.ofDays(1)), () -> "never");
                        scope.join();
                        assertThat(Shortage.MET).containsExactlyInAnyOrder("infos", "threads");
                        return fork.exception().getMessage();
                    }
                }));
            }
        }
    }

    /** Its decorator cancels its scope, and then there is no memory to take it out of its queue. */
    static final class StaysQueued implements Supplier<String> {
        @Override
        public String get() {
            Gate gate = new Gate();
            AtomicReference<CancellationToken> cancelled = new AtomicReference<>();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                    .taskDecorator((key, task) -> {
                        if (cancelled.get() != null) {
                            cancelled.get().cancel();
                        }
                        return task;
                    })
                    .build())) {
                executor.submit("a", "before", gate.then("done"));
                gate.awaitArrived(1);
                try {
                    return resultOf(Caller.start(() -> {
                        try (var scope =
                                Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
                            cancelled.set(scope.token());
                            Shortage.leaving = true;
                            Subtask<Object> fork = scope.fork("a", () -> "never");
                            Shortage.leaving = false;
                            assertThat(Shortage.MET).contains("leaving");
                            gate.open();
                            scope.join();
                            return fork.phase().name();
                        }
                    }));
                } finally {
                    gate.open();
                }
            }
        }
    }

    private static void assertTimesOut(TaskHandle<String> handle) {
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> handle.join(Deadline.SECONDS, TimeUnit.SECONDS))
                .satisfies(rejected -> assertThat(rejected.reason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT));
    }

    private static String resultOf(Caller<String> caller) {
        try {
            return caller.result();
        } catch (Exception | OutOfMemoryError failure) { // this error would end JUnit
            throw new AssertionError(failure);
        }
    }

    private static void endWithoutMemory(Gate gate, TaskHandle<String> handle) {
        Shortage.grants = true;
        gate.open();
        assertThat(handle.join().value()).isEqualTo("one");
        Shortage.grants = false;
        assertThat(Shortage.MET).as("lacks that were met").containsExactlyInAnyOrder("grants", "threads");
    }

    /** Called by the changed engine. */
    public static final class Shortage {
        private static final Set<String> MET = ConcurrentHashMap.newKeySet();
        private static volatile boolean grants;
        private static volatile boolean batches;
        private static volatile boolean reasons;
        private static volatile boolean infos;
        private static volatile boolean leaving;
        private static volatile boolean threads = true;

        private Shortage() {}

        public static void ofGrants() {
            lack("grants", grants);
        }

        public static void ofBatches() {
            lack("batches", batches);
        }

        public static void ofReasons() {
            lack("reasons", reasons);
        }

        public static void ofInfos() {
            lack("infos", infos);
        }

        public static void ofLeaving() {
            lack("leaving", leaving);
        }

        public static void ofThreads() {
            lack("threads", threads);
        }

        private static void lack(String what, boolean lacks) {
            if (lacks) {
                MET.add(what);
                throw new OutOfMemoryError("as the test wants it");
            }
        }
    }

    /**
     * There is no memory for a grant, for a batch where one can do without, or for what is said of a fork or done to it, when
     * the test says so, and no thread for the housekeeper until it says so.
     */
    private static final class Lack extends ClassVisitor {
        private String className = "";

        Lack(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visit(
                int version, int access, String name, String signature, String superName, String[] interfaces) {
            className = name;
            super.visit(version, access, name, signature, superName, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            return switch (className + "." + name) {
                case "io/github/kobe/internal/work/Task.grant" -> new Before(method, "of", "ofGrants");
                case "io/github/kobe/internal/permits/Batch.orNull" -> new Before(method, "<init>", "ofBatches");
                case "io/github/kobe/scope/ForkPlan.noTimers" -> new Before(method, "<init>", "ofReasons");
                case "io/github/kobe/scope/ForkPlan.withEarlier" -> new Before(method, "addSuppressed", "ofReasons");
                case "io/github/kobe/scope/ForkedSubtask.info" -> new Before(method, "<init>", "ofInfos");
                case "io/github/kobe/scope/ForkedSubtask.leaveOrStop" -> new Before(method, "leaveQueue", "ofLeaving");
                case "io/github/kobe/internal/base/Housekeeper.startThread" -> new Before(method, "start", "ofThreads");
                default -> method;
            };
        }
    }

    /** Puts a call to {@link Shortage} before each call of a method. */
    private static final class Before extends MethodVisitor {
        private final String before;
        private final String shortage;

        Before(MethodVisitor next, String before, String shortage) {
            super(Opcodes.ASM9, next);
            this.before = before;
            this.shortage = shortage;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String type, boolean onInterface) {
            if (called.equals(before)) {
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC,
                        "io/github/kobe/faults/NoThreadForRetriesTests$Shortage",
                        shortage,
                        "()V",
                        false);
            }
            super.visitMethodInsn(opcode, owner, called, type, onInterface);
        }
    }
}
