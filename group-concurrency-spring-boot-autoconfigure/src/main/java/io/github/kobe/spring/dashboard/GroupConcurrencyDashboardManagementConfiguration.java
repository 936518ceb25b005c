package io.github.kobe.spring.dashboard;

import io.github.kobe.spring.autoconfigure.ConditionalOnSwitch;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Serves the page where the endpoints are: on the application's port, or on theirs if they have one. A browser lets a page
 * ask the host and port only that it comes from. Listed as Spring Boot lists such configurations, in a file by their
 * annotation's name.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnSwitch("enabled")
final class GroupConcurrencyDashboardManagementConfiguration {

    /** With servlets, whatever they are. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnSwitch(value = "dashboard.enabled", byDefault = false)
    static final class ServletConfiguration {

        @Bean
        @ConditionalOnMissingBean
        DashboardServletRegistration groupConcurrencyDashboardServlet(DashboardPage page) {
            return new DashboardServletRegistration(page);
        }
    }

    /** With WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnSwitch(value = "dashboard.enabled", byDefault = false)
    static final class ReactiveConfiguration {

        @Bean
        @ConditionalOnMissingBean
        DashboardHandlerMapping groupConcurrencyDashboardHandlerMapping(DashboardPage page) {
            return new DashboardHandlerMapping(page);
        }
    }
}
