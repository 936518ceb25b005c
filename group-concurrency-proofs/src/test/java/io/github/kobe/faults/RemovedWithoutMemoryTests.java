package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.schedules.EngineLoader;
import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** An entry has left a map, and there is no memory for the map to count that with. */
@Tag("I3")
public class RemovedWithoutMemoryTests {

    private static Object run(Class<? extends Supplier<?>> scenario) {
        return new EngineLoader(Lack::new).newInstance(Supplier.class, scenario).get();
    }

    @Tag("RA12")
    @Test
    void whoTakesWhatIsRememberedOfARateLeavesTheGroupToOthers() {
        assertThat(run(ComesBack.class)).isEqualTo("again");
    }

    @Test
    void whatAForgottenGroupHasCountedIsKept() {
        assertThat(run(Dies.class)).isEqualTo(1L);
    }

    @Test
    void theEndOfAStageThatItsSubmitterHasOpenedEndsTheTask() {
        assertThat(run(Completes.class)).isEqualTo("value");
    }

    @Test
    void whoCancelsATaskThatItsSubmitterHasRunCancelsItsStage() {
        assertThat(run(IsCancelled.class)).isEqualTo(true);
    }

    @Tag("S15")
    @Test
    void aForkWhoseListenersHaveHeardOfItsEndIsOver() {
        assertThat(run(IsTold.class)).isEqualTo("joined");
    }

    @Test
    void aForkOfWhoseTimeOutItsScopeHasHeardIsOver() {
        assertThat(run(IsTimedOut.class)).isEqualTo("FAILED");
    }

    @Test
    void aScopeThatIsClosedInsideAnotherHasRunItsCleanUps() {
        assertThat(run(Closes.class)).isEqualTo(true);
    }

    @Tag("E7")
    @Test
    void aViewWhoseCommandsAreOverTerminates() {
        assertThat(run(Terminates.class)).isEqualTo(true);
    }

    static final class ComesBack implements Supplier<String> {
        @Override
        public String get() {
            GroupLimits limits = GroupLimits.unset().withRate(Rate.of(2, Duration.ofHours(1)));
            try (GroupExecutor executor = executor(limits)) {
                useAndForget(executor);
                assertThat(executor.stats().rememberedRates()).isEqualTo(1);
                Shortage.lasts = true;
                try {
                    return Caller.start(() -> executor.call("a", () -> "again")).result();
                } catch (Exception | OutOfMemoryError failure) {
                    throw new AssertionError(failure);
                } finally {
                    Shortage.lasts = false;
                    assertThat(Shortage.met).isTrue();
                }
            }
        }
    }

    static final class Dies implements Supplier<Long> {
        @Override
        public Long get() {
            try (GroupExecutor executor = executor(GroupLimits.unset())) {
                Shortage.lasts = true;
                useAndForget(executor);
                Shortage.lasts = false;
                assertThat(Shortage.met).isTrue();
                return executor.stats().totals().succeeded();
            }
        }
    }

    static final class Completes implements Supplier<String> {
        @Override
        public String get() {
            try (GroupExecutor executor = fullExecutor()) {
                CompletableFuture<String> stage = new CompletableFuture<>();
                TaskHandle<String> handle = executor.submitAsync("a", () -> stage);
                Shortage.lasts = true;
                stage.complete("value");
                Shortage.lasts = false;
                assertThat(Shortage.met).isTrue();
                return handle.join(0, TimeUnit.SECONDS).value();
            }
        }
    }

    static final class IsCancelled implements Supplier<Boolean> {
        @Override
        public Boolean get() {
            try (GroupExecutor executor = fullExecutor()) {
                CompletableFuture<String> stage = new CompletableFuture<>();
                TaskHandle<String> handle = executor.submitAsync("a", () -> stage);
                Shortage.lasts = true;
                try {
                    handle.cancel(true);
                    return stage.isCancelled();
                } catch (OutOfMemoryError failure) {
                    throw new AssertionError(failure);
                } finally {
                    Shortage.lasts = false;
                    assertThat(Shortage.met).isTrue();
                }
            }
        }
    }

    static final class IsTold implements Supplier<String> {
        @Override
        public String get() {
            GroupPolicy heard = GroupPolicy.builder()
                    .taskLifecycleListener(new TaskLifecycleListener() {})
                    .build();
            return resultOf(() -> {
                try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(heard);
                        GroupScope<Object, Void, ExecutionException> scope =
                                Scopes.of(executor).open()) {
                    Shortage.lasts = true;
                    Subtask<String> fork = scope.fork("a", () -> "joined");
                    scope.join();
                    return fork.get();
                }
            });
        }
    }

    static final class IsTimedOut implements Supplier<String> {
        @Override
        public String get() {
            Gate gate = new Gate();
            ForkOptions soon = ForkOptions.in("a").withTimeout(Duration.ofMillis(50));
            return resultOf(() -> {
                try (GroupExecutor executor = executor(GroupLimits.unset());
                        GroupScope<String, ?, RuntimeException> scope =
                                Scopes.of(executor).open(Joiner.<String>awaitAll())) {
                    scope.fork("a", gate.then("done"));
                    gate.awaitArrived(1);
                    Shortage.lasts = true;
                    Subtask<String> fork = scope.fork(soon, () -> "never");
                    Deadline.until("it has failed", () -> fork.state() == Subtask.State.FAILED);
                    gate.open();
                    scope.join();
                    return fork.state().name();
                }
            });
        }
    }

    static final class Closes implements Supplier<Boolean> {
        @Override
        public Boolean get() {
            AtomicBoolean cleanedUp = new AtomicBoolean();
            return resultOf(() -> {
                try (GroupExecutor executor = executor(GroupLimits.unset());
                        GroupScope<Object, Void, ExecutionException> outer =
                                Scopes.of(executor).open()) {
                    GroupScope<Object, Void, ExecutionException> inner =
                            Scopes.of(executor).open();
                    inner.defer(() -> cleanedUp.set(true));
                    inner.join();
                    outer.join();
                    Shortage.lasts = true;
                    inner.close();
                }
                return cleanedUp.get();
            });
        }
    }

    static final class Terminates implements Supplier<Boolean> {
        @Override
        public Boolean get() {
            return resultOf(() -> {
                try (GroupExecutor executor = executor(GroupLimits.unset())) {
                    ExecutorService view = executor.asExecutorService("a");
                    Shortage.lasts = true;
                    view.execute(() -> {});
                    Deadline.until("it is over", () -> Shortage.met);
                    Shortage.lasts = false;
                    view.shutdown();
                    return view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS);
                }
            });
        }
    }

    /** {@return what {@code work} returns, which may block, and has met the shortage} */
    private static <T> T resultOf(Callable<T> work) {
        try {
            T result = Caller.start(work).result();
            assertThat(Shortage.met).isTrue();
            return result;
        } catch (Exception | OutOfMemoryError failure) {
            throw new AssertionError(failure);
        } finally {
            Shortage.lasts = false;
        }
    }

    /** One whose group "a" is full, so that submitters run their code themselves. */
    private static GroupExecutor fullExecutor() {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build());
        executor.submitAsync("a", CompletableFuture::new);
        Deadline.until("it runs", () -> executor.stats().inFlight() == 1);
        return executor;
    }

    private static GroupExecutor executor(GroupLimits limits) {
        return GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().maxIdleGroups(0).pattern("*", limits).build());
    }

    private static void useAndForget(GroupExecutor executor) {
        executor.submit("a", "task", () -> "done").join();
        Deadline.until("it is forgotten", () -> executor.groupKeys().isEmpty());
    }

    /** Called by the changed engine. */
    public static final class Shortage {
        private static volatile boolean lasts;
        private static volatile boolean met;

        private Shortage() {}

        public static void counts() {
            if (lasts) {
                met = true;
                throw new OutOfMemoryError("as the test wants it");
            }
        }
    }

    /** There is no memory after a removal from a concurrent map or a set, when the test says so. */
    private static final class Lack extends ClassVisitor {
        Lack(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            return new AfterRemoval(super.visitMethod(access, name, descriptor, signature, thrown));
        }
    }

    private static final class AfterRemoval extends MethodVisitor {
        private static final Set<String> COLLECTIONS =
                Set.of("java/util/concurrent/ConcurrentHashMap", "java/util/concurrent/ConcurrentMap", "java/util/Set");

        AfterRemoval(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String type, boolean onInterface) {
            super.visitMethodInsn(opcode, owner, called, type, onInterface);
            if (COLLECTIONS.contains(owner) && called.equals("remove")) {
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC,
                        "io/github/kobe/faults/RemovedWithoutMemoryTests$Shortage",
                        "counts",
                        "()V",
                        false);
            }
        }
    }
}
