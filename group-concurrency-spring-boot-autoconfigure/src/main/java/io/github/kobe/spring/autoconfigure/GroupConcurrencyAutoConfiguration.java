package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.GroupExecutorBuilder;
import io.github.kobe.spring.internal.context.MdcTaskDecorator;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.RateSetting;
import io.github.kobe.spring.internal.settings.NamedRateSetting;
import io.github.kobe.spring.internal.settings.UnlimitedConnections;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.MDC;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.annotation.RegisterReflection;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;

/**
 * Makes a {@link GroupExecutor} from a {@link GroupPolicy}, and the policy from the settings; each backs off if the
 * application has its own bean. A native image has the methods that read a rate which is one text: Spring looks for them by
 * their name.
 */
@AutoConfiguration
@Conditional(OnGroupConcurrencyEnabled.class)
@EnableConfigurationProperties(GroupConcurrencyProperties.class)
@Import(ConfiguredPolicy.class)
@RegisterReflection(
        classes = {RateSetting.class, NamedRateSetting.class},
        memberCategories = MemberCategory.INVOKE_PUBLIC_METHODS)
public final class GroupConcurrencyAutoConfiguration {

    /** The name of the executor's bean, and the value of the meters' tag "executor". */
    public static final String EXECUTOR_BEAN_NAME = "groupExecutor";

    private static final String LIFECYCLE_BEAN_NAME = "groupConcurrencyLifecycle";

    GroupConcurrencyAutoConfiguration() {}

    /** It tells the names of the settings by the components of their records, which a native image has to have. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    @RegisterReflectionForBinding(GroupConcurrencyProperties.class)
    static BoundSettings groupConcurrencyBoundSettings(ConfigurableEnvironment environment) {
        return new BoundSettings(environment);
    }

    @Bean
    @ConditionalOnMissingBean
    GroupExecutorBuilder groupConcurrencyExecutorBuilder(BeanFactory beans) {
        return new ComposedExecutors(new GroupPolicyComposer(beans), new SharedLimits(beans));
    }

    /**
     * Never lazy: it has to exist when the context closes, and bad settings should fail the start-up. Each context has
     * its own, which ends the executors of that context.
     */
    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean(name = LIFECYCLE_BEAN_NAME, search = SearchStrategy.CURRENT)
    GroupExecutorLifecycle groupConcurrencyLifecycle(
            ConfigurableApplicationContext context, GroupConcurrencyProperties properties) {
        return new GroupExecutorLifecycle(context, properties.shutdown().awaitTerminationPeriod());
    }

    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean(name = "groupConcurrencyUnusedLimitsWarning")
    UnusedLimitsWarning groupConcurrencyUnusedLimitsWarning(ConfiguredPolicy configured, ListableBeanFactory beans) {
        return new UnusedLimitsWarning(configured, beans);
    }

    /** Where no connections can be limited. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(UnlimitedConnections.JDBC)
    @Import(UnlimitedConnections.class)
    static final class WithoutJdbcConfiguration {}

    /** The policy from the settings, unless the application has its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(GroupPolicy.class)
    static final class PolicyConfiguration {

        @Bean
        GroupPolicy groupConcurrencyPolicy(ConfiguredPolicy configured) {
            return configured.toPolicy();
        }
    }

    /** Our executor, unless the application has its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(GroupExecutor.class)
    static final class ExecutorConfiguration {

        @Bean(EXECUTOR_BEAN_NAME)
        GroupExecutor groupExecutor(GroupPolicy policy, GroupExecutorBuilder builder, BeanFactory beans) {
            return builder.build(EXECUTOR_BEAN_NAME, new GroupPolicyComposer(beans).decide(policy));
        }
    }

    /**
     * The context that is propagated with tasks. The logging context is outermost, so that the others' log entries have
     * it; the application's own decorators are innermost.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "group-concurrency.context-propagation.enabled", matchIfMissing = true)
    static final class ContextPropagationConfiguration {

        private static final String SPRING_DECORATOR_BEAN_NAME = "groupConcurrencySpringTaskDecorator";
        private static final int MDC_ORDER = Ordered.HIGHEST_PRECEDENCE + 100;
        private static final int SPRING_ORDER = Ordered.HIGHEST_PRECEDENCE + 200;

        @Bean
        @Order(MDC_ORDER)
        @ConditionalOnClass(MDC.class)
        @ConditionalOnMissingBean(value = MdcTaskDecorator.class, name = "groupConcurrencyMdcTaskDecorator")
        MdcTaskDecorator groupConcurrencyMdcTaskDecorator() {
            return new MdcTaskDecorator();
        }

        @Bean
        @Order(SPRING_ORDER)
        @ConditionalOnMissingClass("io.micrometer.context.ContextSnapshotFactory")
        @ConditionalOnMissingBean(name = SPRING_DECORATOR_BEAN_NAME)
        SpringTaskDecorator groupConcurrencySpringTaskDecorator(ObjectProvider<TaskDecorator> decorators) {
            return SpringTaskDecorator.of(decorators.orderedStream().toList());
        }

        /**
         * A snapshot of everything that is registered for propagation, beside Spring's decorators or in one of them.
         */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(ContextSnapshotFactory.class)
        static final class SnapshotConfiguration {

            @Bean
            @Order(SPRING_ORDER)
            @ConditionalOnMissingBean(name = SPRING_DECORATOR_BEAN_NAME)
            SpringTaskDecorator groupConcurrencySpringTaskDecorator(ObjectProvider<TaskDecorator> decorators) {
                List<TaskDecorator> all =
                        new ArrayList<>(decorators.orderedStream().toList());
                if (all.stream().noneMatch(ContextPropagatingTaskDecorator.class::isInstance)) {
                    TaskDecorator snapshot = new ContextPropagatingTaskDecorator();
                    all.add(task -> hasAccessors() ? snapshot.decorate(task) : task);
                }
                return SpringTaskDecorator.of(all);
            }

            private static boolean hasAccessors() {
                return !ContextRegistry.getInstance().getThreadLocalAccessors().isEmpty();
            }
        }
    }
}
