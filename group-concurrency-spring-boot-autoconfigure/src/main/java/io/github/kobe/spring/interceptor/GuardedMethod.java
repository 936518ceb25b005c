package io.github.kobe.spring.interceptor;

import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An annotated method, with all that could be found out about it at start-up.
 *
 * @param method the method of the target's class
 * @param key gives the group
 * @param queueTimeout how long a call may wait; null: as long as the group allows
 * @param fallback what answers rejected calls, if anything
 * @param executor the name of the executor's bean; empty: the default one
 * @param style how it runs
 */
record GuardedMethod(
        Method method,
        GroupKeyExpression key,
        @Nullable Duration queueTimeout,
        @Nullable FallbackMethod fallback,
        String executor,
        CallStyle style) {

    /** {@return what its calls are called in events and exceptions} */
    String taskId() {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    /** {@return whether its callers expect an InterruptedException} */
    boolean declaresInterrupt() {
        return Arrays.stream(method.getExceptionTypes())
                .anyMatch(type -> type.isAssignableFrom(InterruptedException.class));
    }

    /** Adds what it reaches by reflection, when it is a method of a class. */
    void addReached(Class<?> targetClass, Set<Member> reached) {
        key.addReached(targetClass, reached);
        if (fallback != null) {
            reached.add(fallback.method());
        }
    }
}
