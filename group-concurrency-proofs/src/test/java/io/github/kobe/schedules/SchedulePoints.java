package io.github.kobe.schedules;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Makes the engine's bytecode ready for a {@link Simulation}: before each step on memory that threads share, and after
 * each lock that is taken, it may be another thread's turn; what would wait for a real clock, make a platform thread, or
 * go by identity hash codes, asks the simulation instead.
 *
 * <p>Class initialisers stay as they are: a thread can't give its carrier up in one.
 */
final class SchedulePoints extends NamedVisitor {

    private static final String SIMULATION = "io/github/kobe/schedules/Simulation";
    private static final String PLATFORM_BUILDER = "java/lang/Thread$Builder$OfPlatform";
    private static final String SIMULATED_BUILDER = "io/github/kobe/schedules/Simulation$PlatformBuilder";

    private static final Set<String> SHARED = Set.of(
            "java/lang/invoke/VarHandle",
            "java/util/concurrent/ConcurrentHashMap",
            "java/util/concurrent/ConcurrentLinkedQueue",
            "java/util/concurrent/CompletableFuture",
            "java/util/concurrent/CompletionStage",
            "java/util/concurrent/locks/ReentrantLock",
            "java/util/concurrent/locks/Condition",
            "java/util/concurrent/locks/LockSupport");

    private static final Set<String> THREAD_STEPS = Set.of("start", "interrupt", "interrupted", "isInterrupted");

    /** What the simulation does in place of the JDK: the static method of the same name, told the receiver first. */
    private static final Map<String, String> REPLACED = Map.of(
            "java/lang/Thread.isVirtual()Z",
            "(Ljava/lang/Thread;)Z",
            "java/lang/System.nanoTime()J",
            "()J",
            "java/util/concurrent/locks/LockSupport.parkNanos(J)V",
            "(J)V",
            "java/util/concurrent/locks/LockSupport.parkNanos(Ljava/lang/Object;J)V",
            "(Ljava/lang/Object;J)V",
            "java/util/concurrent/locks/ReentrantLock.newCondition()Ljava/util/concurrent/locks/Condition;",
            "(Ljava/util/concurrent/locks/ReentrantLock;)Ljava/util/concurrent/locks/Condition;",
            "java/lang/Thread.threadId()J",
            "(Ljava/lang/Thread;)J",
            "java/lang/Thread.ofPlatform()L" + PLATFORM_BUILDER + ";",
            "()L" + SIMULATED_BUILDER + ";",
            "java/util/concurrent/ConcurrentHashMap.newKeySet()Ljava/util/concurrent/ConcurrentHashMap$KeySetView;",
            "()Ljava/util/Set;",
            "java/util/concurrent/ConcurrentHashMap.values()Ljava/util/Collection;",
            "(Ljava/util/concurrent/ConcurrentHashMap;)Ljava/util/Collection;");

    /** Names of volatile fields, of whatever class: a point too many does no harm. */
    private static final Set<String> VOLATILE = volatileFields();

    SchedulePoints(ClassVisitor next) {
        super(next);
    }

    private static Set<String> volatileFields() {
        Set<String> names = new HashSet<>();
        for (String name : EngineLoader.mainClasses()) {
            String file = "/" + name.replace('.', '/') + ".class";
            try (InputStream in = SchedulePoints.class.getResourceAsStream(file)) {
                new ClassReader(in)
                        .accept(
                                new ClassVisitor(Opcodes.ASM9) {
                                    @Override
                                    public @Nullable FieldVisitor visitField(
                                            int access,
                                            String field,
                                            String descriptor,
                                            @Nullable String signature,
                                            @Nullable Object value) {
                                        if ((access & Opcodes.ACC_VOLATILE) != 0) {
                                            names.add(field);
                                        }
                                        return null;
                                    }
                                },
                                ClassReader.SKIP_CODE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return names;
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
        MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
        return name.equals("<clinit>") ? method : new Points(method, simpleName() + "." + name);
    }

    private static final class Points extends MethodVisitor {

        private final String where;
        private int line;

        Points(MethodVisitor next, String where) {
            super(Opcodes.ASM9, next);
            this.where = where;
        }

        private void point(String step) {
            super.visitLdcInsn(where + ":" + line + " " + step);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, SIMULATION, "point", "(Ljava/lang/String;)V", false);
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            line = number;
            super.visitLineNumber(number, start);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            if (VOLATILE.contains(name)) {
                // Inside a constructor the object may not be initialised yet; its fields aren't shared then either.
                point((opcode == Opcodes.GETFIELD ? "reads " : "writes ") + name);
            }
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (owner.equals(PLATFORM_BUILDER)) {
                String changed = descriptor
                        .replace("L" + PLATFORM_BUILDER + ";", "L" + SIMULATED_BUILDER + ";")
                        .replace("Ljava/lang/Thread$Builder;", "L" + SIMULATED_BUILDER + ";");
                super.visitMethodInsn(Opcodes.INVOKEVIRTUAL, SIMULATED_BUILDER, name, changed, false);
                return;
            }
            boolean step = SHARED.contains(owner)
                    || owner.startsWith("java/util/concurrent/atomic/")
                    || (owner.equals("java/lang/Thread") && THREAD_STEPS.contains(name));
            if (step && opcode != Opcodes.INVOKESPECIAL) {
                point(owner.substring(owner.lastIndexOf('/') + 1) + "." + name);
            }
            String replacement = REPLACED.get(owner + "." + name + descriptor);
            if (replacement != null) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, SIMULATION, name, replacement, false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
            if (owner.endsWith("/ReentrantLock") && (name.equals("lock") || name.equals("unlock"))) {
                point("after " + name);
            }
        }
    }
}
