package io.github.kobe.spring.method;

import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Applies limits to methods with {@link io.github.kobe.spring.annotation.GroupConcurrent}, without AspectJ. Each
 * context has its own advisor, since without AspectJ Spring advises no beans with the advisors of an ancestor.
 */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"group-concurrency.enabled", "group-concurrency.annotation.enabled"},
        matchIfMissing = true)
@Import(GroupConcurrentAspectAutoConfiguration.AutoProxying.class)
public final class GroupConcurrentAspectAutoConfiguration {

    private static final String ADVISOR = "groupConcurrencyAdvisor";

    GroupConcurrentAspectAutoConfiguration() {}

    /**
     * Static and without other beans, like the advisor that needs it, since that is made before nearly all other beans;
     * the settings are read from the environment for the same reason.
     */
    @Bean(GuardedMethods.BEAN_NAME)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean(name = GuardedMethods.BEAN_NAME, search = SearchStrategy.CURRENT)
    static GuardedMethods groupConcurrencyMethods(Environment environment, ListableBeanFactory beans) {
        return new GuardedMethods(new GuardedMethodReader(
                environment, beans, settings(environment).beanReferences()));
    }

    @Bean(ADVISOR)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnBean(value = GuardedMethods.class, search = SearchStrategy.CURRENT)
    @ConditionalOnMissingBean(name = ADVISOR, search = SearchStrategy.CURRENT)
    static DefaultPointcutAdvisor groupConcurrencyAdvisor(
            Environment environment, BeanFactory beans, GuardedMethods groupConcurrencyMethods) {
        GroupConcurrencyProperties.Annotation settings = settings(environment);
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new GroupConcurrentPointcut(groupConcurrencyMethods, beans),
                new GroupConcurrentInterceptor(
                        groupConcurrencyMethods, settings.beanReferences() ? new BeanFactoryResolver(beans) : null));
        advisor.setOrder(settings.order());
        return advisor;
    }

    /** Never lazy: it checks the beans that exist at the start. */
    @Bean
    @ConditionalOnBean(value = GuardedMethods.class, search = SearchStrategy.CURRENT)
    @ConditionalOnMissingBean(name = "groupConcurrencyProxyCheck", search = SearchStrategy.CURRENT)
    @Lazy(false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ProxyCheck groupConcurrencyProxyCheck(
            ConfigurableListableBeanFactory beans, GuardedMethods groupConcurrencyMethods) {
        return new ProxyCheck(beans, groupConcurrencyMethods);
    }

    private static GroupConcurrencyProperties.Annotation settings(Environment environment) {
        return Binder.get(environment)
                .bindOrCreate(
                        GroupConcurrencyProperties.PREFIX + ".annotation", GroupConcurrencyProperties.Annotation.class);
    }

    /** Makes Spring look for advisors, if nothing else in the application does. */
    static final class AutoProxying implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
