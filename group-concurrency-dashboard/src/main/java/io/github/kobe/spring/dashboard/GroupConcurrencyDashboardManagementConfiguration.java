package io.github.kobe.spring.dashboard;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Serves the page where the endpoints are: on the application's port, or on theirs if they have one. A browser lets a
 * page call only the host and port that it comes from. This class is listed as Spring Boot lists such configurations,
 * in a file named after their annotation.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
final class GroupConcurrencyDashboardManagementConfiguration {

    /** With servlets, whatever they are. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnBooleanProperty("group-concurrency.dashboard.enabled")
    static final class ServletConfiguration {

        @Bean
        @ConditionalOnBean(DashboardPage.class)
        @ConditionalOnMissingBean(name = "groupConcurrencyDashboardServlet")
        DashboardServletRegistration groupConcurrencyDashboardServlet(DashboardPage page) {
            return new DashboardServletRegistration(page);
        }
    }

    /** With WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnBooleanProperty("group-concurrency.dashboard.enabled")
    static final class ReactiveConfiguration {

        @Bean
        @ConditionalOnBean(DashboardPage.class)
        @ConditionalOnMissingBean(name = "groupConcurrencyDashboardHandlerMapping")
        DashboardHandlerMapping groupConcurrencyDashboardHandlerMapping(DashboardPage page) {
            return new DashboardHandlerMapping(page);
        }
    }
}
