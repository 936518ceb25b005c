package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.interceptor.GroupConcurrentInterceptor;
import io.github.kobe.spring.interceptor.GroupConcurrentPointcut;
import io.github.kobe.spring.interceptor.GuardedMethods;
import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Puts the limits around methods with {@link io.github.kobe.spring.annotation.GroupConcurrent}; without AspectJ. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@Conditional(OnGroupConcurrencyEnabled.class)
@ConditionalOnSwitch("aspect.enabled")
@Import(GroupConcurrentAspectAutoConfiguration.AutoProxying.class)
public final class GroupConcurrentAspectAutoConfiguration {

    GroupConcurrentAspectAutoConfiguration() {}

    /**
     * Static and free of other beans, since it is made before nearly all of them; the settings are read from the
     * environment for the same reason.
     */
    @Bean(GroupConcurrentPointcut.ADVISOR_BEAN_NAME)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor groupConcurrentAdvisor(Environment environment, BeanFactory beans) {
        GroupConcurrencyProperties.Aspect settings = Binder.get(environment)
                .bindOrCreate(GroupConcurrencyProperties.PREFIX + ".aspect", GroupConcurrencyProperties.Aspect.class);
        GuardedMethods methods = new GuardedMethods(environment, beans, settings.beanReferences());
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new GroupConcurrentPointcut(methods),
                new GroupConcurrentInterceptor(methods, beans, settings.beanReferences()));
        advisor.setOrder(settings.order());
        return advisor;
    }

    /** Has Spring look for advisors, if nothing else in the application does. */
    static final class AutoProxying implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
