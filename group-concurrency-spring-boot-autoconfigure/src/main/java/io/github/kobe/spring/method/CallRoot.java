package io.github.kobe.spring.method;

import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The {@code #root} of a group expression, with the same names as in {@code @Cacheable}. */
@SuppressWarnings("ArrayRecordComponent") // nobody compares two
record CallRoot(
        Method method,
        @Nullable Object target,
        Class<?> targetClass,
        @Nullable Object[] args) {

    static final Set<String> PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args");

    public String methodName() {
        return method.getName();
    }
}
