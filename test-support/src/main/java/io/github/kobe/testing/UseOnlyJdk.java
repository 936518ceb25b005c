package io.github.kobe.testing;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static java.util.stream.Collectors.toUnmodifiableSet;

import com.sun.source.util.JavacTask;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Compares class files with what the compiler knows of an older JDK: their version, and each class and member they name. */
final class UseOnlyJdk extends ArchCondition<JavaClass> {

    private static final Set<String> PACKAGES_OF_THE_JDK = ModuleLayer.boot().modules().stream()
            .filter(module ->
                    module.getName().startsWith("java.") || module.getName().startsWith("jdk."))
            .flatMap(module -> module.getPackages().stream())
            .collect(toUnmodifiableSet());

    /** A call of their methods has whatever parameters the caller passes. */
    private static final Set<String> CALLED_WITH_ANYTHING =
            Set.of(MethodHandle.class.getName(), VarHandle.class.getName());

    private final int release;
    private final Elements elements;
    private final Types types;

    UseOnlyJdk(int release) {
        super("need no newer JDK than " + release);
        this.release = release;
        JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
                .getTask(
                        null,
                        null,
                        null,
                        List.of("--release", Integer.toString(release), "-proc:none"),
                        List.of("java.lang.Object"),
                        null);
        elements = task.getElements();
        types = task.getTypes();
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        int version = classFileVersion(type);
        if (version > 44 + release) {
            events.add(violated(type, type.getName() + " has class file version " + version));
        }
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
            JavaClass target = dependency.getTargetClass().getBaseComponentType();
            if (isOfTheJdk(target) && elementOf(target) == null) {
                events.add(violated(type, type.getName() + " names " + target.getName()));
            }
        }
        for (JavaAccess<?> access : type.getAccessesFromSelf()) {
            JavaClass owner = ownerInTheJdk(access);
            TypeElement element = isOfTheJdk(owner) ? elementOf(owner) : null;
            if (element != null && !hasMember(element, access)) {
                events.add(violated(
                        type,
                        type.getName() + " uses " + owner.getSimpleName() + "."
                                + access.getTarget().getName()));
            }
        }
    }

    private static int classFileVersion(JavaClass type) {
        try (DataInputStream classFile = new DataInputStream(
                type.getSource().orElseThrow().getUri().toURL().openStream())) {
            classFile.skipNBytes(6);
            return classFile.readUnsignedShort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is inherited from the JDK is called on one's own class. */
    private static JavaClass ownerInTheJdk(JavaAccess<?> access) {
        JavaClass named = access.getTargetOwner();
        return isOfTheJdk(named)
                ? named
                : access.getTarget().resolveMember().map(JavaMember::getOwner).orElse(named);
    }

    private static boolean isOfTheJdk(JavaClass type) {
        return !type.isPrimitive() && !type.isArray() && PACKAGES_OF_THE_JDK.contains(type.getPackageName());
    }

    private @Nullable TypeElement elementOf(JavaClass type) {
        return elements.getTypeElement(canonical(type));
    }

    private boolean hasMember(TypeElement owner, JavaAccess<?> access) {
        return elements.getAllMembers(owner).stream().anyMatch(member -> isTarget(member, access));
    }

    private boolean isTarget(Element member, JavaAccess<?> access) {
        if (!member.getSimpleName().contentEquals(access.getTarget().getName())) {
            return false;
        }
        return !(access.getTarget() instanceof CodeUnitAccessTarget called)
                || CALLED_WITH_ANYTHING.contains(access.getTargetOwner().getName())
                || (member instanceof ExecutableElement declared
                        && parameters(declared)
                                .equals(called.getRawParameterTypes().stream()
                                        .map(UseOnlyJdk::canonical)
                                        .toList()));
    }

    private List<String> parameters(ExecutableElement declared) {
        return declared.getParameters().stream()
                .map(parameter -> types.erasure(parameter.asType()).toString())
                .toList();
    }

    private static String canonical(JavaClass type) {
        return type.isArray()
                ? canonical(type.getComponentType()) + "[]"
                : type.getName().replace('$', '.');
    }
}
