package io.github.kobe.schedules;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Opcodes;

/** A visitor that knows which class it visits. */
public abstract class NamedVisitor extends ClassVisitor {

    private String className = "";

    protected NamedVisitor(ClassVisitor next) {
        super(Opcodes.ASM9, next);
    }

    /** {@return the name of the class, with slashes} */
    protected final String className() {
        return className;
    }

    /** {@return the name of the class, without its package} */
    protected final String simpleName() {
        return className.substring(className.lastIndexOf('/') + 1);
    }

    @Override
    public void visit(
            int version,
            int access,
            String name,
            @Nullable String signature,
            @Nullable String superName,
            String @Nullable [] interfaces) {
        className = name;
        super.visit(version, access, name, signature, superName, interfaces);
    }
}
