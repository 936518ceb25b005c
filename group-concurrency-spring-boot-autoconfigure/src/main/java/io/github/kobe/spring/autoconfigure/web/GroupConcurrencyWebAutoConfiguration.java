package io.github.kobe.spring.autoconfigure.web;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.ConditionalOnSwitch;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.OnGroupConcurrencyEnabled;
import io.github.kobe.spring.context.MdcTaskDecorator;
import io.github.kobe.spring.properties.BoundSettings;
import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import io.github.kobe.spring.web.GroupConcurrencyFilter;
import io.github.kobe.spring.web.RejectionExceptionResolver;
import io.github.kobe.spring.web.RejectionWebExceptionHandler;
import io.github.kobe.spring.web.RequestGroupKey;
import io.github.kobe.spring.web.WaitingThreadsWarning;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Answers rejections over HTTP, and limits requests, where the application asks for it. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnWebApplication
@Conditional(OnGroupConcurrencyEnabled.class)
public final class GroupConcurrencyWebAutoConfiguration {

    GroupConcurrencyWebAutoConfiguration() {}

    /** Threads of a web server that wait. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static final class WaitingThreadsConfiguration {

        @Bean
        WaitingThreadsWarning groupConcurrencyWaitingThreadsWarning(
                ApplicationContext context, ObjectProvider<GroupExecutor> executor) {
            return new WaitingThreadsWarning(context, executor::getIfUnique);
        }
    }

    /** With Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(HandlerExceptionResolver.class)
    @ConditionalOnSwitch(value = "web.problem-details.enabled", byDefault = false)
    static final class ServletProblemDetailsConfiguration {

        @Bean
        RejectionExceptionResolver groupConcurrencyRejectionExceptionResolver() {
            return new RejectionExceptionResolver();
        }
    }

    /** With WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(WebExceptionHandler.class)
    @ConditionalOnSwitch(value = "web.problem-details.enabled", byDefault = false)
    static final class ReactiveProblemDetailsConfiguration {

        @Bean
        RejectionWebExceptionHandler groupConcurrencyRejectionWebExceptionHandler() {
            return new RejectionWebExceptionHandler();
        }
    }

    /** With servlets, whatever they are. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(OncePerRequestFilter.class)
    @ConditionalOnSwitch(value = "web.filter.enabled", byDefault = false)
    static final class FilterConfiguration {

        /** A bean of its own class, not a registration: so it comes after all others that have the last place too. */
        @Bean
        @ConditionalOnMissingBean
        GroupConcurrencyFilter groupConcurrencyFilter(
                GroupConcurrencyProperties properties,
                BoundSettings bound,
                ObjectProvider<GroupExecutor> executor,
                ObjectProvider<RequestGroupKey> key,
                ObjectProvider<MdcTaskDecorator> context) {
            GroupConcurrencyProperties.Filter filter = properties.web().filter();
            FilterSettings settings = new FilterSettings(filter, bound);
            return new GroupConcurrencyFilter(
                    SingletonSupplier.of(executor::getObject),
                    key.getIfAvailable(settings::key),
                    settings.paths(),
                    context.getIfAvailable(),
                    filter.order());
        }
    }
}
