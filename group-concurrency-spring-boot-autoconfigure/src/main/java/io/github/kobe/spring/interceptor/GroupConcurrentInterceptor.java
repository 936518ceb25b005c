package io.github.kobe.spring.interceptor;

import io.github.kobe.GroupExecutor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.BeanResolver;
import org.springframework.util.ClassUtils;

/** Runs the calls of annotated methods in their groups. Executors are looked up when the first call wants them. */
public final class GroupConcurrentInterceptor implements MethodInterceptor {

    private final GuardedMethods methods;
    private final BeanFactory beans;
    private final @Nullable BeanResolver beanResolver;
    private final Map<String, GroupExecutor> executors = new ConcurrentHashMap<>();

    /**
     * Makes an interceptor.
     *
     * @param methods knows the annotated methods
     * @param beans has the executors
     * @param beanReferences whether group expressions may name beans
     */
    public GroupConcurrentInterceptor(GuardedMethods methods, BeanFactory beans, boolean beanReferences) {
        this.methods = methods;
        this.beans = beans;
        this.beanResolver = beanReferences ? new BeanFactoryResolver(beans) : null;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : ClassUtils.getUserClass(target);
        GuardedMethod method = methods.find(invocation.getMethod(), targetClass);
        if (method == null) {
            return invocation.proceed();
        }
        String groupKey = method.key()
                .evaluate(() -> new KeyEvaluationContext(
                        new CallRoot(method.method(), target, targetClass, invocation.getArguments()),
                        method.method(),
                        invocation.getArguments(),
                        GuardedMethods.PARAMETER_NAMES,
                        beanResolver));
        GroupExecutor executor = executor(method.executor());
        GuardedCall call = new GuardedCall(method, groupKey, executor, invocation);
        return switch (method.style()) {
            case HERE -> call.runHere();
            case DISPATCHED -> call.dispatch();
            case MONO -> new ReactiveCall(method, groupKey, executor, invocation, call).mono();
            case FLUX -> new ReactiveCall(method, groupKey, executor, invocation, call).flux();
        };
    }

    /** Not computeIfAbsent: making the bean may call annotated methods. */
    private GroupExecutor executor(String name) {
        GroupExecutor known = executors.get(name);
        if (known == null) {
            known = name.isEmpty() ? beans.getBean(GroupExecutor.class) : beans.getBean(name, GroupExecutor.class);
            executors.put(name, known);
        }
        return known;
    }
}
