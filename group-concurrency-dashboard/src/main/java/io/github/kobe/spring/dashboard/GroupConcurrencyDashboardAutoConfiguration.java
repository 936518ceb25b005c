package io.github.kobe.spring.dashboard;

import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;

/**
 * Makes the live page, if the application enables it. Its settings are bound in any case, so that a misspelt name is
 * found. {@link GroupConcurrencyDashboardManagementConfiguration} serves it.
 */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        beforeName = "org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration")
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(GroupDashboardProperties.class)
@RegisterReflectionForBinding(GroupDashboardProperties.class)
public final class GroupConcurrencyDashboardAutoConfiguration {

    GroupConcurrencyDashboardAutoConfiguration() {}

    /** Checks what the page needs, and names what is missing. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    @ConditionalOnBooleanProperty("group-concurrency.dashboard.enabled")
    @Import(DashboardPath.class)
    static final class PathConfiguration {

        /** With the actuator. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass({PathMappedEndpoints.class, ManagementPortType.class})
        @ImportRuntimeHints(DashboardHints.class)
        static final class PageConfiguration {

            @Bean
            @Lazy(false)
            @ConditionalOnMissingBean(name = "groupConcurrencyDashboardPage")
            DashboardPage groupConcurrencyDashboardPage(
                    DashboardPath path,
                    ApplicationContext application,
                    ObjectProvider<PathMappedEndpoints> endpoints,
                    ListableBeanFactory beans) {
                return new DashboardPage(
                        path,
                        () -> new ExposedEndpoints(path, application, endpoints.getIfAvailable(), executors(beans)));
            }

            private static Set<String> executors(ListableBeanFactory beans) {
                ExecutorBeans executors = new ExecutorBeans(beans);
                Set<String> names = new LinkedHashSet<>(executors.defaults());
                names.addAll(executors.names());
                return names;
            }
        }
    }
}
