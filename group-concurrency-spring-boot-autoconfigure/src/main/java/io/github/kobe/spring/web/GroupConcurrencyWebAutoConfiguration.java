package io.github.kobe.spring.web;

import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Answers rejections over HTTP, and limits requests if the application enables it. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
public final class GroupConcurrencyWebAutoConfiguration {

    private static final Log LOGGER = LogFactory.getLog(GroupConcurrencyWebAutoConfiguration.class);

    private static final String FILTER = "group-concurrency.web.filter.enabled";

    /** What a switch never is: only one that isn't set matches. */
    private static final String UNSAID = "unsaid";

    GroupConcurrencyWebAutoConfiguration() {}

    /** For threads of a web server that wait. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static final class WaitingThreadsConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "groupConcurrencyWaitingThreadsWarning")
        WaitingThreadsWarning groupConcurrencyWaitingThreadsWarning(
                ApplicationContext context, ListableBeanFactory beans) {
            return new WaitingThreadsWarning(context, new ExecutorBeans(beans));
        }
    }

    /** With Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(HandlerExceptionResolver.class)
    @ConditionalOnBooleanProperty(name = "group-concurrency.web.problem-details.enabled", matchIfMissing = true)
    @Import(ServletRejectionAnswer.class)
    static final class ServletProblemDetailsConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "groupConcurrencyRejectionExceptionResolver")
        RejectionExceptionResolver groupConcurrencyRejectionExceptionResolver(ServletRejectionAnswer answer) {
            return new RejectionExceptionResolver(answer);
        }
    }

    /** With WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(WebExceptionHandler.class)
    @ConditionalOnBooleanProperty(name = "group-concurrency.web.problem-details.enabled", matchIfMissing = true)
    @Import(ReactiveRejectionAnswer.class)
    static final class ReactiveProblemDetailsConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "groupConcurrencyRejectionWebExceptionHandler")
        RejectionWebExceptionHandler groupConcurrencyRejectionWebExceptionHandler(ReactiveRejectionAnswer answer) {
            return new RejectionWebExceptionHandler(answer);
        }
    }

    /** With any servlets. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(OncePerRequestFilter.class)
    @ConditionalOnBooleanProperty(FILTER)
    @Import(ServletRejectionAnswer.class)
    static final class FilterConfiguration {

        /** A plain bean, not a registration bean, so that it comes after all others that also have the last order. */
        @Bean
        @ConditionalOnMissingBean(name = "groupConcurrencyFilter")
        GroupConcurrencyFilter groupConcurrencyFilter(
                GroupConcurrencyProperties properties,
                BoundSettings bound,
                ObjectProvider<RequestGroupKey> key,
                ObjectProvider<GroupTaskDecorator> decorators,
                ServletRejectionAnswer answer,
                Environment environment,
                ListableBeanFactory beans) {
            GroupConcurrencyProperties.Filter filter = properties.web().filter();
            RequestGroupKey own = key.getIfAvailable();
            List<FilterRule> rules =
                    new FilterSettings(filter, bound, beans, RequestGroupKey.class, own != null).rules();
            return new GroupConcurrencyFilter(
                    own,
                    new FilterRules(rules, bound, environment, beans),
                    decorators.orderedStream().toList(),
                    new ServletCrossOrigin(beans),
                    answer,
                    filter.order());
        }

        /** With Spring MVC. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(WebMvcConfigurer.class)
        static final class AsyncSupportConfiguration {

            @Bean
            @ConditionalOnMissingBean(name = "groupConcurrencyMvcAsyncSupport")
            MvcAsyncSupport groupConcurrencyMvcAsyncSupport(BeanFactory beans) {
                return new MvcAsyncSupport(beans);
            }
        }
    }

    /** With WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(WebFilter.class)
    @ConditionalOnBooleanProperty(FILTER)
    @Import(ReactiveRejectionAnswer.class)
    static final class ReactiveFilterConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "groupConcurrencyWebFilter")
        GroupConcurrencyWebFilter groupConcurrencyWebFilter(
                GroupConcurrencyProperties properties,
                BoundSettings bound,
                ObjectProvider<ExchangeGroupKey> key,
                ReactiveRejectionAnswer answer,
                ListableBeanFactory beans,
                ApplicationContext application) {
            GroupConcurrencyProperties.Filter filter = properties.web().filter();
            ExchangeGroupKey own = key.getIfAvailable();
            List<FilterRule> rules =
                    new FilterSettings(filter, bound, beans, ExchangeGroupKey.class, own != null).rules();
            return new GroupConcurrencyWebFilter(
                    own,
                    new FilterRules(rules, bound, application.getEnvironment(), application),
                    application,
                    answer,
                    filter.order());
        }
    }

    /** With servlets, and a bean that only the filter asks. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnBean(RequestGroupKey.class)
    @ConditionalOnProperty(name = FILTER, havingValue = UNSAID, matchIfMissing = true)
    static final class KeyWithoutFilterConfiguration {

        KeyWithoutFilterConfiguration() {
            warnOfKeyWithoutFilter("RequestGroupKey");
        }
    }

    /** With WebFlux, and a bean that only the filter asks. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(WebFilter.class)
    @ConditionalOnBean(ExchangeGroupKey.class)
    @ConditionalOnProperty(name = FILTER, havingValue = UNSAID, matchIfMissing = true)
    static final class ReactiveKeyWithoutFilterConfiguration {

        ReactiveKeyWithoutFilterConfiguration() {
            warnOfKeyWithoutFilter("ExchangeGroupKey");
        }
    }

    private static void warnOfKeyWithoutFilter(String type) {
        LOGGER.warn("The bean of type " + type + " limits nothing, since " + FILTER
                + " isn't set. Set it to true, or to false if that is meant.");
    }
}
