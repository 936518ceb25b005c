package io.github.kobe.spring.method;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;

/** Runs the calls of annotated methods in their groups. */
final class GroupConcurrentInterceptor implements MethodInterceptor {

    private final GuardedMethods methods;
    private final @Nullable BeanResolver beans;

    /**
     * Makes an interceptor.
     *
     * @param methods knows the annotated methods
     * @param beans finds the beans that expressions name; null: they may name none
     */
    GroupConcurrentInterceptor(GuardedMethods methods, @Nullable BeanResolver beans) {
        this.methods = methods;
        this.beans = beans;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        GuardedMethod method = methods.find(
                invocation.getMethod(),
                target == null ? invocation.getMethod().getDeclaringClass() : target.getClass());
        if (method == null) {
            return invocation.proceed();
        }
        String groupKey = method.key().evaluate(target, invocation.getArguments(), beans);
        Costs costs = method.costs().evaluate(target, invocation.getArguments(), beans);
        GroupExecutor executor = method.executor().get();
        method.unset().look(method, groupKey, executor);
        return method.style().start(new GuardedCall(method, groupKey, costs, executor, invocation));
    }
}
