package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.schedules.EngineLoader;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A caller is interrupted and granted in the same instant, and there is no memory to pass its permit on with. */
@Tag("I3")
@Tag("P5")
public class InterruptedWithoutMemoryTests {

    @Test
    void itsPermitComesBack() {
        Object running = new EngineLoader(GrantedMeanwhile::new)
                .newInstance(Supplier.class, Scenario.class)
                .get();

        assertThat(running).isEqualTo(0);
    }

    static final class Scenario implements Supplier<Integer> {
        @Override
        public Integer get() {
            Gate gate = new Gate();
            try (GroupExecutor executor =
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
                TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
                Caller<String> caller = Caller.start(() -> executor.call("a", () -> "never"));
                Deadline.until(
                        "it waits", () -> executor.groupStats("a").orElseThrow().queued() == 1);
                Instant.beforeItLeaves = () -> {
                    gate.open();
                    holder.toCompletableFuture().join(); // its permit is the caller's now
                };
                caller.interrupt();
                try {
                    throw new AssertionError("it wasn't interrupted: " + caller.result());
                } catch (Exception | OutOfMemoryError ended) {
                    Instant.lasts = false;
                    assertThat(Instant.left && Instant.lacked)
                            .as("it met what the test wants")
                            .isTrue();
                    return executor.groupStats("a").orElseThrow().running();
                }
            }
        }
    }

    /** Called by the changed engine. */
    public static final class Instant {
        private static volatile Runnable beforeItLeaves;
        private static volatile boolean lasts;
        private static volatile boolean left;
        private static volatile boolean lacked;

        private Instant() {}

        public static void leaves() {
            beforeItLeaves.run();
            lasts = true;
            left = true;
        }

        public static void makes() {
            if (lasts) {
                lacked = true;
                throw new OutOfMemoryError("as the test wants it");
            }
        }
    }

    /** Changes what a waiter does when it is interrupted: it is granted first, and there is no memory for a batch. */
    private static final class GrantedMeanwhile extends ClassVisitor {
        GrantedMeanwhile(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            if (!name.equals("leaveInterrupted") && !name.equals("orNull")) {
                return method;
            }
            return new MethodVisitor(Opcodes.ASM9, method) {
                private void call(String what) {
                    super.visitMethodInsn(
                            Opcodes.INVOKESTATIC,
                            "io/github/kobe/faults/InterruptedWithoutMemoryTests$Instant",
                            what,
                            "()V",
                            false);
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String type, boolean onInterface) {
                    if (called.equals("leave")) {
                        call("leaves");
                    }
                    super.visitMethodInsn(opcode, owner, called, type, onInterface);
                }

                @Override
                public void visitTypeInsn(int opcode, String type) {
                    super.visitTypeInsn(opcode, type);
                    if (opcode == Opcodes.NEW && type.endsWith("/Batch")) {
                        call("makes");
                    }
                }
            };
        }
    }
}
