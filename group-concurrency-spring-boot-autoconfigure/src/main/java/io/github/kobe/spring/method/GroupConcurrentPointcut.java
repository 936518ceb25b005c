package io.github.kobe.spring.method;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.ClassUtils;

/** Matches the annotated methods. */
final class GroupConcurrentPointcut extends StaticMethodMatcherPointcut {

    private final GuardedMethods methods;
    private final BeanFactory beans;

    GroupConcurrentPointcut(GuardedMethods methods, BeanFactory beans) {
        this.methods = methods;
        this.beans = beans;
        setClassFilter(this::matches);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return methods.find(method, targetClass) != null;
    }

    private boolean matches(Class<?> type) {
        boolean any = methods.anyIn(type);
        if (any && isClosed(type) && !hasProxyByInterfaces(type)) {
            throw new InvalidGroupConcurrentException(
                    type,
                    "cannot work: the class is " + (type.isSealed() ? "sealed" : "final")
                            + ", and a proxy has to extend it",
                    "Make the class open, or have it implement an interface that has the methods, with"
                            + " spring.aop.proxy-target-class: false.");
        }
        return any;
    }

    private static boolean isClosed(Class<?> type) {
        return (Modifier.isFinal(type.getModifiers()) || type.isSealed())
                && !Proxy.isProxyClass(type)
                && !ClassUtils.isLambdaClass(type);
    }

    private boolean hasProxyByInterfaces(Class<?> type) {
        String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(type)).anyMatch(GroupConcurrentPointcut::isCalled)
                && !(beans.containsBean(creator)
                        && beans.getBean(creator) instanceof ProxyConfig config
                        && config.isProxyTargetClass());
    }

    /** {@return whether an interface has methods that an application calls} As Spring goes by when it makes a proxy. */
    private static boolean isCalled(Class<?> type) {
        return type.getMethods().length > 0
                && !Aware.class.isAssignableFrom(type)
                && !AutoCloseable.class.isAssignableFrom(type)
                && type != InitializingBean.class
                && type != DisposableBean.class;
    }
}
