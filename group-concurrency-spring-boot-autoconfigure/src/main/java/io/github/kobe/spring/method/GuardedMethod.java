package io.github.kobe.spring.method;

import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An annotated method, with all that could be found out about it at start-up.
 *
 * @param method the method of the target's class
 * @param key gives the group
 * @param queueTimeout how long a call may wait; null: as long as the group allows
 * @param fallback what answers rejected calls, if anything
 * @param executor what it runs in
 * @param style how it runs
 * @param taskId what its calls are called in events and exceptions
 * @param declaresInterrupt whether its callers expect an InterruptedException
 * @param unset looks whether anybody set limits for its groups
 */
record GuardedMethod(
        Method method,
        GroupKeyExpression key,
        @Nullable Duration queueTimeout,
        @Nullable FallbackMethod fallback,
        ExecutorBean executor,
        CallStyle style,
        String taskId,
        boolean declaresInterrupt,
        UnsetLimits.Watch unset) {

    /** Adds what it reaches by reflection, when it is a method of a class. */
    void addReached(Class<?> targetClass, Set<Member> reached) {
        key.addReached(targetClass, reached);
        if (fallback != null) {
            reached.add(fallback.method());
        }
    }
}
