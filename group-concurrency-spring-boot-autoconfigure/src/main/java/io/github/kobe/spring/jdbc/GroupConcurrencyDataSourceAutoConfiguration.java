package io.github.kobe.spring.jdbc;

import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.UnlimitedConnections;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Limits the connections of the application's data sources, if it says to which group a connection belongs. The data sources of
 * Spring Boot are set up by a class that moved between Boot 3 and 4.
 */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@ConditionalOnClass(DelegatingDataSource.class)
@ConditionalOnBooleanProperty(
        name = {"group-concurrency.enabled", "group-concurrency.datasource.enabled"},
        matchIfMissing = true)
public final class GroupConcurrencyDataSourceAutoConfiguration {

    GroupConcurrencyDataSourceAutoConfiguration() {}

    /** Inside, so that the condition's class isn't loaded where nothing is to be limited. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(ConnectionGroup.class)
    @Import(ConnectionExecutors.class)
    @ImportRuntimeHints(Pools.Hints.class)
    static final class LimitedConfiguration {

        /** Each context has its own, since it sees the beans of that context alone. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        @ConditionalOnMissingBean(name = "groupConcurrencyDataSourceLimiter", search = SearchStrategy.CURRENT)
        static DataSourceLimiter groupConcurrencyDataSourceLimiter(
                ObjectProvider<LimitedConnections> connections, HierarchicalBeanFactory beans) {
            return new DataSourceLimiter(connections, beans);
        }

        /** With any servlets. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
        @ConditionalOnClass(OncePerRequestFilter.class)
        static final class RequestThreadsConfiguration {

            @Bean
            @ConditionalOnMissingBean(name = "groupConcurrencyRequestThreads")
            RequestThreads groupConcurrencyRequestThreads(ObjectProvider<LimitedConnections> connections) {
                return new RequestThreads(connections);
            }

            /** With Spring MVC. */
            @Configuration(proxyBeanMethods = false)
            @ConditionalOnClass(WebMvcConfigurer.class)
            static final class RequestTasksConfiguration {

                @Bean
                @ConditionalOnMissingBean(name = "groupConcurrencyRequestTasks")
                RequestTasks groupConcurrencyRequestTasks(ObjectProvider<LimitedConnections> connections) {
                    return new RequestTasks(connections);
                }
            }
        }
    }

    /** Where nothing tells whom connections are for. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(BoundSettings.class)
    @ConditionalOnMissingBean(ConnectionGroup.class)
    @Import(UnlimitedConnections.class)
    static final class WithoutGroupConfiguration {}
}
