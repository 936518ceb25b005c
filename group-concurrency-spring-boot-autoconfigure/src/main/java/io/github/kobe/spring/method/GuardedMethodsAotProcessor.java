package io.github.kobe.spring.method;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Registers for native images what annotated methods reach only by name: their fallbacks, and what their
 * expressions read.
 */
final class GuardedMethodsAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        ConfigurableListableBeanFactory beans = bean.getBeanFactory();
        if (!beans.containsBean(GuardedMethods.BEAN_NAME)
                || !beans.isTypeMatch(GuardedMethods.BEAN_NAME, GuardedMethods.class)) {
            return null;
        }
        Set<Member> reached =
                beans.getBean(GuardedMethods.BEAN_NAME, GuardedMethods.class).reachedFrom(bean.getBeanClass());
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
