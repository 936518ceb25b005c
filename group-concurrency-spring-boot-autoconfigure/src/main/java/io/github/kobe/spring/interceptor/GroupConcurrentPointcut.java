package io.github.kobe.spring.interceptor;

import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches the annotated methods. */
public final class GroupConcurrentPointcut extends StaticMethodMatcherPointcut {

    /** The name of the bean that has this pointcut and its advice. */
    public static final String ADVISOR_BEAN_NAME = "groupConcurrentAdvisor";

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

    /** {@return what the annotated methods of a class reach by reflection} */
    Set<Member> reachedFrom(Class<?> type) {
        return methods.reachedFrom(type);
    }
}
