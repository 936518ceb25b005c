package io.github.kobe.architecture;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Reads the class file itself, since ArchUnit's model knows synchronized methods but not synchronized blocks. */
final class UseNoMonitors extends ArchCondition<JavaClass> {

    private static final Set<String> MONITOR_METHODS =
            Set.of("wait()V", "wait(J)V", "wait(JI)V", "notify()V", "notifyAll()V");

    UseNoMonitors() {
        super("use no monitors: a ReentrantLock pins no carrier on JDK 21, and a test scheduler sees it block");
    }

    @Override
    public void check(JavaClass javaClass, ConditionEvents events) {
        try (InputStream classFile =
                javaClass.getSource().orElseThrow().getUri().toURL().openStream()) {
            new ClassReader(classFile).accept(new MonitorVisitor(javaClass, events), ClassReader.SKIP_DEBUG);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class MonitorVisitor extends ClassVisitor {

        private final JavaClass javaClass;
        private final ConditionEvents events;

        MonitorVisitor(JavaClass javaClass, ConditionEvents events) {
            super(Opcodes.ASM9);
            this.javaClass = javaClass;
            this.events = events;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
                report(name, "is synchronized");
            }
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public void visitInsn(int opcode) {
                    if (opcode == Opcodes.MONITORENTER) {
                        report(name, "has a synchronized block");
                    }
                }

                @Override
                public void visitMethodInsn(
                        int opcode, String owner, String called, String calledDescriptor, boolean ownerIsInterface) {
                    if (MONITOR_METHODS.contains(called + calledDescriptor)) {
                        report(name, "calls " + called);
                    }
                }
            };
        }

        private void report(String method, String what) {
            events.add(violated(javaClass, javaClass.getName() + "." + method + " " + what));
        }
    }
}
