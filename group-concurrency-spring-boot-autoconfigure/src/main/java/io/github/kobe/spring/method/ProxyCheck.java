package io.github.kobe.spring.method;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;

/**
 * Checks each singleton once all exist, and warns of those whose annotated methods aren't limited. It doesn't fail,
 * because a test's mock looks the same, and an object that replaces a bean may call it through its proxy.
 */
final class ProxyCheck implements SmartInitializingSingleton {

    private static final Log LOGGER = LogFactory.getLog(ProxyCheck.class);

    private static final String REGISTERED = "it was registered as a finished object, and Spring doesn't proxy such"
            + " beans; register a bean definition instead";
    private static final String EARLY = "it has no proxy, because it was created before the beans that make proxies,"
            + " most likely because a BeanPostProcessor or an advisor needs it; let that one ask for it later, with an"
            + " ObjectProvider or a @Lazy parameter";

    private final ConfigurableListableBeanFactory beans;
    private final GuardedMethods methods;

    ProxyCheck(ConfigurableListableBeanFactory beans, GuardedMethods methods) {
        this.beans = beans;
        this.methods = methods;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<String> names = new LinkedHashSet<>(List.of(beans.getBeanDefinitionNames()));
        names.addAll(List.of(beans.getSingletonNames()));
        CachedCalls cached = new CachedCalls(methods);
        for (String name : names) {
            check(name, cached);
        }
        cached.tell();
    }

    private void check(String name, CachedCalls cached) {
        RootBeanDefinition definition = definitionOf(name);
        if (definition != null && definition.getRole() == BeanDefinition.ROLE_INFRASTRUCTURE) {
            return;
        }
        Object bean = beans.getSingleton(name);
        if (bean instanceof FactoryBean<?>) {
            bean = productOf(name, definition);
        }
        if (bean == null) {
            return;
        }
        cached.look(bean);
        if (isLimited(bean)) {
            return;
        }
        Class<?> found = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
        Class<?> made = definition == null ? null : definition.getTargetType();
        if (made == null || FactoryBean.class.isAssignableFrom(made)) {
            made = found;
        }
        made = ClassUtils.getUserClass(made);
        if (methods.anyIn(made)) {
            warn(name, made, definition == null ? REGISTERED : made == found ? EARLY : replaced(found));
        } else if (methods.anyIn(found)) {
            warn(name, found, EARLY);
        }
    }

    /** {@return the definition by which a bean was made; null: none is known} */
    private @Nullable RootBeanDefinition definitionOf(String name) {
        return beans.containsBeanDefinition(name)
                        && beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
                ? definition
                : null;
    }

    /** {@return what a factory makes, if that is to be limited; it is made now, if it hasn't been, unless it is lazy} */
    private @Nullable Object productOf(String name, @Nullable RootBeanDefinition definition) {
        Class<?> type = beans.getType(name, false);
        boolean wanted = type != null
                && definition != null
                && !definition.isLazyInit()
                && beans.isSingleton(name)
                && methods.anyIn(type);
        return wanted ? beans.getBean(name) : null;
    }

    private static String replaced(Class<?> by) {
        return "a BeanPostProcessor has put a " + by.getName() + " in its place, so Spring can't proxy it";
    }

    private void warn(String name, Class<?> type, String reason) {
        LOGGER.warn("@GroupConcurrent on " + InvalidGroupConcurrentException.nameOf(firstOf(type))
                + " doesn't limit the bean '" + name + "': " + reason);
    }

    private Method firstOf(Class<?> type) {
        Map<String, Method> byName = new TreeMap<>();
        methods.ofClass(type).keySet().forEach(method -> byName.put(method.toString(), method));
        return byName.values().iterator().next();
    }

    /** {@return whether the limit is around a bean, or can't be seen from here} */
    private static boolean isLimited(Object bean) {
        Object current = bean;
        while (current instanceof Advised advised) {
            for (Advisor advisor : advised.getAdvisors()) {
                if (advisor instanceof PointcutAdvisor by && by.getPointcut() instanceof GroupConcurrentPointcut) {
                    return true;
                }
            }
            TargetSource source = advised.getTargetSource();
            if (!source.isStatic()) {
                return true; // each target is a bean of its own
            }
            current = targetOf(source);
        }
        return current == null || current instanceof SpringProxy;
    }

    private static @Nullable Object targetOf(TargetSource source) {
        try {
            return source.getTarget();
        } catch (Exception unknown) {
            return null;
        }
    }
}
