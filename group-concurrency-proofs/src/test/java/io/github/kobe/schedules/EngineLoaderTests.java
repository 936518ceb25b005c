package io.github.kobe.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

public class EngineLoaderTests {

    private static int calls;

    @Test
    @SuppressWarnings("unchecked")
    void theEngineRunsWithItsBytecodeChanged() throws Exception {
        EngineLoader loader = new EngineLoader(CallsAtSubmit::new);

        Callable<List<Object>> scenario = loader.newInstance(Callable.class, Submitting.class);

        assertThat(scenario.call()).containsExactly(42, 1);
        assertThat(calls).as("calls seen outside the loader").isZero();
    }

    @Test
    void aTestClassIsLoadedAgainAsItIs() {
        EngineLoader loader = new EngineLoader(UnaryOperator.identity());

        Supplier<?> own = loader.newInstance(Supplier.class, ItsEngine.class);

        assertThat(own.get()).isNotEqualTo(GroupExecutor.class).hasToString(GroupExecutor.class.toString());
    }

    @Test
    void onlyMainClassesGoThroughTheVisitor() {
        TreeSet<String> visited = new TreeSet<>();
        EngineLoader loader = new EngineLoader(visitor -> new ClassVisitor(Opcodes.ASM9, visitor) {
            @Override
            public void visit(
                    int version,
                    int access,
                    String name,
                    @Nullable String signature,
                    @Nullable String superName,
                    String @Nullable [] interfaces) {
                visited.add(name.replace('/', '.'));
                super.visit(version, access, name, signature, superName, interfaces);
            }
        });

        loader.newInstance(Supplier.class, ItsEngine.class);
        loader.initialiseAll();

        assertThat(visited)
                .containsExactlyElementsOf(EngineLoader.mainClasses())
                .contains("io.github.kobe.GroupExecutor", "io.github.kobe.internal.permits.Group")
                .doesNotContain(ItsEngine.class.getName());
    }

    @Test
    void aTypeThatOnlyOneWorldKnowsIsRefused() {
        EngineLoader loader = new EngineLoader(UnaryOperator.identity());

        assertThatThrownBy(() -> loader.newInstance(ItsEngine.class, ItsEngine.class))
                .isInstanceOf(ClassCastException.class);
    }

    /** Called by the changed engine. */
    public static void count() {
        calls++;
    }

    /** Submits a task to the changed engine. */
    static final class Submitting implements Callable<List<Object>> {
        @Override
        public List<Object> call() {
            try (GroupExecutor executor =
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
                Object value = executor.submit("group", "task", () -> 42).join().value();
                return List.of(value, calls);
            }
        }
    }

    /** Tells which engine it sees. */
    static final class ItsEngine implements Supplier<Class<?>> {
        @Override
        public Class<?> get() {
            return GroupExecutor.class;
        }
    }

    /** Has {@code Admission.submit} call {@link #count}. */
    private static final class CallsAtSubmit extends NamedVisitor {

        CallsAtSubmit(ClassVisitor next) {
            super(next);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            if (!className().equals("io/github/kobe/internal/doors/Admission") || !name.equals("submit")) {
                return method;
            }
            return new MethodVisitor(Opcodes.ASM9, method) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    visitMethodInsn(
                            Opcodes.INVOKESTATIC, "io/github/kobe/schedules/EngineLoaderTests", "count", "()V", false);
                }
            };
        }
    }
}
