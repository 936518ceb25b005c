package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.context.MdcTaskDecorator;
import io.github.kobe.spring.context.SpringTaskDecorator;
import io.github.kobe.spring.jfr.FlightRecorderTracer;
import io.github.kobe.spring.lifecycle.GroupExecutorLifecycle;
import io.github.kobe.spring.policy.GroupPolicyComposer;
import io.github.kobe.spring.properties.BoundSettings;
import io.github.kobe.spring.properties.ConfiguredPolicy;
import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import io.micrometer.context.ContextSnapshotFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Event;
import org.slf4j.MDC;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;

/**
 * Makes a {@link GroupExecutor} from a {@link GroupPolicy}, and the policy from the settings; each backs off from a bean
 * of the application's own.
 */
@AutoConfiguration
@Conditional(OnGroupConcurrencyEnabled.class)
@EnableConfigurationProperties(GroupConcurrencyProperties.class)
public final class GroupConcurrencyAutoConfiguration {

    /** The name of the executor's bean, and the value of the meters' tag "executor". */
    public static final String EXECUTOR_BEAN_NAME = "groupExecutor";

    GroupConcurrencyAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BoundSettings groupConcurrencyBoundSettings(ConfigurableEnvironment environment) {
        return new BoundSettings(environment);
    }

    @Bean
    ConfiguredPolicy groupConcurrencyConfiguredPolicy(GroupConcurrencyProperties properties, BoundSettings settings) {
        return new ConfiguredPolicy(properties, settings);
    }

    /** The policy of the settings, unless the application brings its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(GroupPolicy.class)
    static final class PolicyConfiguration {

        @Bean
        GroupPolicy groupPolicy(ConfiguredPolicy configured) {
            return configured.toPolicy();
        }
    }

    /** An executor and what it ends with; nothing of it where the application brings its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(GroupExecutor.class)
    static final class ExecutorConfiguration {

        @Bean(EXECUTOR_BEAN_NAME)
        GroupExecutor groupExecutor(GroupPolicy policy, BeanFactory beans) {
            return GroupExecutor.newVirtualThreadExecutor(new GroupPolicyComposer(beans).compose(policy));
        }

        /** Never lazy: it has to be there when the context closes, and bad settings are to fail the start-up. */
        @Bean
        @Lazy(false)
        GroupExecutorLifecycle groupExecutorLifecycle(
                GroupExecutor groupExecutor, GroupConcurrencyProperties properties, ApplicationContext context) {
            Duration phaseTimeout = Binder.get(context.getEnvironment())
                    .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                    .orElse(Duration.ofSeconds(30));
            return new GroupExecutorLifecycle(
                    groupExecutor, properties.shutdown().awaitTerminationPeriod(), phaseTimeout, context);
        }
    }

    /** Events for the Flight Recorder, unless the JVM was built without it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Event.class)
    static final class FlightRecorderConfiguration {

        @Bean
        FlightRecorderTracer groupConcurrencyFlightRecorderTracer() {
            return new FlightRecorderTracer();
        }
    }

    /**
     * What goes along with tasks. The logging context is outermost, so that the log of all the others has it; what the
     * application brings in is innermost.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSwitch("context-propagation.enabled")
    static final class ContextPropagationConfiguration {

        private static final int MDC_ORDER = Ordered.HIGHEST_PRECEDENCE + 100;
        private static final int SPRING_ORDER = Ordered.HIGHEST_PRECEDENCE + 200;

        @Bean
        @Order(MDC_ORDER)
        @ConditionalOnClass(MDC.class)
        MdcTaskDecorator groupConcurrencyMdcTaskDecorator() {
            return new MdcTaskDecorator();
        }

        @Bean
        @Order(SPRING_ORDER)
        @ConditionalOnMissingClass("io.micrometer.context.ContextSnapshotFactory")
        SpringTaskDecorator groupConcurrencySpringTaskDecorator(ObjectProvider<TaskDecorator> decorators) {
            return SpringTaskDecorator.of(decorators.orderedStream().toList());
        }

        /** Beside Spring's decorators, or in one of them, a snapshot of all that is registered for propagation. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(ContextSnapshotFactory.class)
        static final class SnapshotConfiguration {

            @Bean
            @Order(SPRING_ORDER)
            SpringTaskDecorator groupConcurrencySpringTaskDecorator(ObjectProvider<TaskDecorator> decorators) {
                List<TaskDecorator> all =
                        new ArrayList<>(decorators.orderedStream().toList());
                if (all.stream().noneMatch(ContextPropagatingTaskDecorator.class::isInstance)) {
                    all.add(new ContextPropagatingTaskDecorator());
                }
                return SpringTaskDecorator.of(all);
            }
        }
    }
}
