package io.github.kobe.schedules;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Counts in the engine's bytecode how often each of its places is passed in one critical section: the entry of each
 * method, and each jump, which every loop has. A section lasts as long as a thread has any lock. Loops of the JDK are not
 * seen, but what they call of the engine's.
 *
 * <p>Loaded by an {@link EngineLoader}, so that its statics belong to one engine.
 */
public final class SectionSteps extends NamedVisitor {

    /**
     * A section decides about 1,000 nodes at most, and passes a place up to eight times for each. What grows with the
     * number of groups, alarms or nodes gets further, since there are more of them in {@link SectionsTests}.
     */
    static final int MOST = 8_000;

    private static final String COUNTER = "io/github/kobe/schedules/SectionSteps";

    private static final ThreadLocal<Section> SECTIONS = ThreadLocal.withInitial(Section::new);

    /** The places that were passed too often, with how often at most. */
    private static final Map<String, Integer> EXCEEDED = new ConcurrentHashMap<>();

    /** What the current thread has passed since it took the first of the locks that it has. */
    private static final class Section {
        private int locks;
        private final Map<String, Integer> passed = new HashMap<>();
    }

    public SectionSteps(ClassVisitor next) {
        super(next);
    }

    // ---- called by the engine

    public static void locked() {
        SECTIONS.get().locks++;
    }

    /** The lock is about to be given back, or a condition to be waited for, which gives it back. */
    public static void unlocks() {
        Section section = SECTIONS.get();
        section.locks = Math.max(0, section.locks - 1);
        if (section.locks == 0) {
            section.passed.clear();
        }
    }

    public static void passes(String place) {
        Section section = SECTIONS.get();
        if (section.locks > 0) {
            int times = section.passed.merge(place, 1, Integer::sum);
            if (times > MOST) {
                EXCEEDED.merge(place, times, Math::max);
            }
        }
    }

    /** {@return the places that were passed too often in one section, in order} */
    static Map<String, Integer> exceeded() {
        return new TreeMap<>(EXCEEDED);
    }

    // ---- the engine's bytecode

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
        return new Places(
                super.visitMethod(access, name, descriptor, signature, thrown), simpleName() + "." + name + descriptor);
    }

    private static final class Places extends MethodVisitor {
        private final String method;
        private int line;

        Places(MethodVisitor next, String method) {
            super(Opcodes.ASM9, next);
            this.method = method;
        }

        private void call(String name) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTER, name, "()V", false);
        }

        private void place(String kind) {
            super.visitLdcInsn(method + ":" + line + kind);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTER, "passes", "(Ljava/lang/String;)V", false);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            place(" entry");
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            line = number;
            super.visitLineNumber(number, start);
        }

        @Override
        public void visitJumpInsn(int opcode, Label target) {
            place(" jump");
            super.visitJumpInsn(opcode, target);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            boolean lock = owner.equals("java/util/concurrent/locks/ReentrantLock");
            boolean wait = owner.equals("java/util/concurrent/locks/Condition") && name.startsWith("await");
            if (wait || (lock && name.equals("unlock"))) {
                call("unlocks");
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            if (wait || (lock && (name.equals("lock") || name.equals("lockInterruptibly")))) {
                call("locked");
            }
        }
    }
}
