package io.github.kobe.spring.method;

import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The {@code #root} of a group expression, with the same names as in {@code @Cacheable}. */
final class CallRoot {

    static final Set<String> PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args");

    private final Method method;
    private final @Nullable Object target;
    private final Class<?> targetClass;
    private final @Nullable Object[] args;

    CallRoot(Method method, @Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        this.method = method;
        this.target = target;
        this.targetClass = targetClass;
        this.args = args;
    }

    public Method getMethod() {
        return method;
    }

    public String getMethodName() {
        return method.getName();
    }

    public @Nullable Object getTarget() {
        return target;
    }

    public Class<?> getTargetClass() {
        return targetClass;
    }

    public @Nullable Object[] getArgs() {
        return args;
    }
}
