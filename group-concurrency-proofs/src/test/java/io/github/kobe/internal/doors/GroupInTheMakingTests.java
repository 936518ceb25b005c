package io.github.kobe.internal.doors;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.schedules.EngineLoader;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The policy changes while a group is made: just before it comes into the map. */
@Tag("G16")
public class GroupInTheMakingTests {

    @SuppressWarnings("unchecked")
    private static List<String> endings(Class<? extends Supplier<List<String>>> scenario) {
        EngineLoader loader = new EngineLoader(BeforeTheMap::new);
        return (List<String>) loader.newInstance(Supplier.class, scenario).get();
    }

    @Test
    void theNewGlobalThresholdHoldsBeforeItsMakerHasLookedAgain() {
        assertThat(endings(ReplacedOnce.class))
                .containsExactly("SUCCESS", "SUCCESS", "GLOBAL_QUEUE_FULL", "GLOBAL_QUEUE_FULL");
    }

    @Test
    void theGlobalThresholdHoldsAfterAnotherPolicyWasInForceMeanwhile() {
        assertThat(endings(ReplacedAndPutBack.class))
                .containsExactly("SUCCESS", "SUCCESS", "GLOBAL_QUEUE_FULL", "GLOBAL_QUEUE_FULL");
    }

    /** Submits one that runs and three behind it; tells how they end. */
    private static List<TaskHandle<String>> submitFour(GroupExecutor executor, Gate gate) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        handles.add(executor.submit("a", "holder", gate.then("held")));
        for (int i = 1; i <= 3; i++) {
            handles.add(executor.submit("a", "" + i, () -> "done"));
        }
        return handles;
    }

    private static List<String> endings(List<TaskHandle<String>> handles, Gate gate) {
        gate.open();
        List<String> endings = new ArrayList<>();
        for (TaskHandle<String> handle : handles) {
            try {
                endings.add(handle.join().status().name());
            } catch (RejectedTaskException rejected) {
                endings.add(rejected.reason().name());
            }
        }
        return endings;
    }

    static final class ReplacedOnce implements Supplier<List<String>> {
        @Override
        public List<String> get() {
            Gate gate = new Gate();
            List<TaskHandle<String>> handles = new ArrayList<>();
            GroupPolicy before = GroupPolicy.builder().build();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(before)) {
                GroupPolicy bounded = GroupPolicy.builder()
                        .globalQueueThreshold(1)
                        .concurrencyResolver(key -> {
                            // Its maker looks at the policy again, outside of all locks; others have found the group.
                            if (handles.isEmpty() && executor.groupKeys().contains("a")) {
                                handles.addAll(submitFour(executor, gate));
                            }
                            return 1;
                        })
                        .build();
                Hook.beforeTheMap = () -> executor.updatePolicy(bounded);
                EngineAccess.engine(executor).group("a");
                return endings(handles, gate);
            } finally {
                Hook.beforeTheMap = null;
            }
        }
    }

    static final class ReplacedAndPutBack implements Supplier<List<String>> {
        private GroupExecutor executor;

        @Override
        public List<String> get() {
            Gate gate = new Gate();
            GroupPolicy unbounded = GroupPolicy.builder().build();
            GroupPolicy bounded = GroupPolicy.builder()
                    .globalQueueThreshold(1)
                    .concurrencyResolver(key -> {
                        if (!executor.groupKeys().contains("a")) {
                            executor.updatePolicy(unbounded);
                        }
                        return 1;
                    })
                    .build();
            try (GroupExecutor made = GroupExecutor.newVirtualThreadExecutor(bounded)) {
                executor = made;
                Hook.beforeTheMap = () -> made.updatePolicy(bounded);
                EngineAccess.engine(made).group("a");
                Hook.beforeTheMap = null;
                return endings(submitFour(made, gate), gate);
            } finally {
                Hook.beforeTheMap = null;
            }
        }
    }

    /** Called by the changed engine. */
    public static final class Hook {
        private static Runnable beforeTheMap;

        private Hook() {}

        public static void run() {
            Runnable action = beforeTheMap;
            beforeTheMap = null;
            if (action != null) {
                action.run();
            }
        }
    }

    /** Has {@link Hook} run before the engine puts a group into its map. */
    private static final class BeforeTheMap extends ClassVisitor {
        BeforeTheMap(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            if (!name.equals("newGroup")) {
                return method;
            }
            return new MethodVisitor(Opcodes.ASM9, method) {
                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String type, boolean onInterface) {
                    if (called.equals("putIfAbsent")) {
                        super.visitMethodInsn(
                                Opcodes.INVOKESTATIC,
                                "io/github/kobe/internal/doors/GroupInTheMakingTests$Hook",
                                "run",
                                "()V",
                                false);
                    }
                    super.visitMethodInsn(opcode, owner, called, type, onInterface);
                }
            };
        }
    }
}
