package io.github.kobe.spring.interceptor;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Tells native images what annotated methods reach by no more than its name: their fallbacks, and what their group
 * expressions read.
 */
final class GuardedMethodsAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        ConfigurableListableBeanFactory beans = bean.getBeanFactory();
        String advisor = GroupConcurrentPointcut.ADVISOR_BEAN_NAME;
        if (!beans.containsBean(advisor)
                || !(beans.getBean(advisor, DefaultPointcutAdvisor.class).getPointcut()
                        instanceof GroupConcurrentPointcut pointcut)) {
            return null;
        }
        Set<Member> reached = pointcut.reachedFrom(bean.getBeanClass());
        return reached.isEmpty()
                ? null
                : (generation, code) -> reached.forEach(
                        member -> register(member, generation.getRuntimeHints().reflection()));
    }

    private static void register(Member member, ReflectionHints hints) {
        if (member instanceof Method method) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
        } else if (member instanceof Field field) {
            hints.registerField(field);
        }
    }
}
