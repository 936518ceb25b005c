package io.github.kobe.spring.interceptor;

import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches the annotated methods. */
public final class GroupConcurrentPointcut extends StaticMethodMatcherPointcut {

    private final GuardedMethods methods;

    /**
     * Makes a pointcut.
     *
     * @param methods knows the annotated methods
     */
    public GroupConcurrentPointcut(GuardedMethods methods) {
        this.methods = methods;
        setClassFilter(methods::anyIn);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return methods.find(method, targetClass) != null;
    }
}
