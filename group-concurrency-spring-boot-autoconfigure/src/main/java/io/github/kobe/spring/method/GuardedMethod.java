package io.github.kobe.spring.method;

import io.github.kobe.GroupExecutor;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An annotated method, with everything that could be found out about it at start-up.
 *
 * @param method the method of the target's class
 * @param key gives the group
 * @param costs gives what a call costs of the group's rates
 * @param queueTimeout how long a call may wait; null: as long as the group allows
 * @param fallback the method that answers rejected calls, if any
 * @param executor the executor that it runs in, which is looked up when the first call needs it
 * @param style how it runs
 * @param taskId the name of its calls in events and exceptions
 * @param declaresInterrupt whether its callers expect an InterruptedException
 * @param unset checks whether limits are set for its groups
 * @param ownGroupWait looks for threads of its groups that wait for it and lend nothing
 */
record GuardedMethod(
        Method method,
        GroupKeyExpression key,
        CostExpressions costs,
        @Nullable Duration queueTimeout,
        @Nullable FallbackMethod fallback,
        Supplier<GroupExecutor> executor,
        CallStyle style,
        String taskId,
        boolean declaresInterrupt,
        UnsetLimits.Watch unset,
        OwnGroupWait ownGroupWait) {

    /** Adds what it reaches by reflection, when it is a method of a class. */
    void addReached(Class<?> targetClass, Set<Member> reached) {
        key.addReached(targetClass, reached);
        costs.addReached(targetClass, reached);
        if (fallback != null) {
            reached.add(fallback.method());
        }
    }
}
