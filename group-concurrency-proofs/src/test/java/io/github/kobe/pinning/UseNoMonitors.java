package io.github.kobe.pinning;

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
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Reads the class file itself, since ArchUnit's model knows synchronized methods but not synchronized blocks. */
final class UseNoMonitors extends ArchCondition<JavaClass> {

    private static final Set<String> MONITOR_METHODS =
            Set.of("wait()V", "wait(J)V", "wait(JI)V", "notify()V", "notifyAll()V");

    /** They call a function of the caller's under a bin's monitor. */
    private static final Set<String> CALLBACKS_UNDER_A_MONITOR =
            Set.of("compute", "computeIfAbsent", "computeIfPresent", "merge");

    /** Whose callbacks those are; through the interfaces too, which don't say what is behind them. */
    private static final Set<String> MAPS =
            Set.of("java/util/Map", "java/util/concurrent/ConcurrentMap", "java/util/concurrent/ConcurrentHashMap");

    /** Their methods are synchronized, also around what they call. */
    private static final Set<String> MONITOR_CLASSES = Set.of(
            "java/util/Hashtable",
            "java/util/Observable",
            "java/util/Stack",
            "java/util/Timer",
            "java/util/Vector",
            "java/lang/StringBuffer");

    /** Wait in a monitor, or call back with a frame of the JVM's own in between, which no thread leaves its carrier over. */
    private static final Set<String> PINNING_CALLS = Set.of(
            "java/lang/Thread.join",
            "java/lang/Class.forName",
            "java/security/AccessController.doPrivileged",
            "java/lang/reflect/Method.invoke");

    UseNoMonitors() {
        super("use no monitors, nor what holds one around a callback or a wait: a ReentrantLock pins no carrier on"
                + " JDK 21, and a test scheduler sees it block");
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
                    checkCall(owner, called, calledDescriptor);
                }

                @Override
                public void visitInvokeDynamicInsn(
                        String called, String calledDescriptor, Handle bootstrap, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle) {
                            checkCall(handle.getOwner(), handle.getName(), handle.getDesc());
                        }
                    }
                }

                private void checkCall(String owner, String called, String calledDescriptor) {
                    if (MONITOR_METHODS.contains(called + calledDescriptor)
                            || (MAPS.contains(owner) && CALLBACKS_UNDER_A_MONITOR.contains(called))
                            || MONITOR_CLASSES.contains(owner)
                            || (owner.equals("java/util/Collections") && called.startsWith("synchronized"))
                            || PINNING_CALLS.contains(owner + "." + called)) {
                        report(name, "calls " + owner.substring(owner.lastIndexOf('/') + 1) + "." + called);
                    }
                }
            };
        }

        private void report(String method, String what) {
            events.add(violated(javaClass, javaClass.getName() + "." + method + " " + what));
        }
    }
}
