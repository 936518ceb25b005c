package io.github.kobe.spring.method;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.interceptor.BeanFactoryCacheOperationSourceAdvisor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** Tells once of methods whose answers from a cache wait for their turn too, since the cache is asked within the limit. */
final class CachedCalls {

    private static final Log LOGGER = LogFactory.getLog(CachedCalls.class);

    private final GuardedMethods methods;
    private final Set<String> found = new TreeSet<>();

    CachedCalls(GuardedMethods methods) {
        this.methods = methods;
    }

    void look(Object bean) {
        if (!(bean instanceof Advised advised)) {
            return;
        }
        boolean isWithinLimit = false;
        for (Advisor advisor : advised.getAdvisors()) {
            if (advisor instanceof BeanFactoryCacheOperationSourceAdvisor cache && isWithinLimit) {
                addCachedBy(cache, ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean)));
            }
            isWithinLimit |=
                    advisor instanceof PointcutAdvisor by && by.getPointcut() instanceof GroupConcurrentPointcut;
        }
    }

    private void addCachedBy(PointcutAdvisor cache, Class<?> type) {
        for (Method method : methods.ofClass(type).keySet()) {
            if (isCacheable(method, type)
                    && cache.getPointcut().getMethodMatcher().matches(method, type)) {
                found.add(InvalidGroupConcurrentException.nameOf(method));
            }
        }
    }

    /** What is only evicted or put gives no answers. */
    private static boolean isCacheable(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(method, Cacheable.class)
                || AnnotatedElementUtils.hasAnnotation(type, Cacheable.class);
    }

    void tell() {
        if (!found.isEmpty()) {
            LOGGER.info(found.iterator().next()
                    + (found.size() == 1 ? " has" : " and " + (found.size() - 1) + " other methods have")
                    + " a limit and, within it, a cache: an answer from the cache waits for its turn too. To have the"
                    + " cache asked first, write @EnableCaching(order = 0).");
        }
    }
}
