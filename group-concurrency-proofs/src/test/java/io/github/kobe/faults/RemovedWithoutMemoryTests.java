package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.schedules.EngineLoader;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
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

    /** There is no memory after a removal from the map of groups, or of rates, when the test says so. */
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
            return switch (className) {
                case "io/github/kobe/internal/permits/RememberedRates", "io/github/kobe/internal/permits/Groups" ->
                    new AfterRemoval(method);
                default -> method;
            };
        }
    }

    private static final class AfterRemoval extends MethodVisitor {
        AfterRemoval(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String called, String type, boolean onInterface) {
            super.visitMethodInsn(opcode, owner, called, type, onInterface);
            if (owner.equals("java/util/concurrent/ConcurrentHashMap") && called.equals("remove")) {
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
