package io.github.kobe.spring.rollout;

import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.RolloutEventSink;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.client.GroupClientHttpRequestInterceptor;
import io.github.kobe.spring.internal.executors.ConditionalOnDefaultExecutor;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.web.client.RestClient;

/** Makes {@link Rollouts} over the default executor, stored in the database if there is one. */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration"
        })
@ConditionalOnClass(Rollouts.class)
@ConditionalOnBooleanProperty(
        name = {"group-concurrency.enabled", "group-concurrency.rollout.enabled"},
        matchIfMissing = true)
@EnableConfigurationProperties(GroupRolloutProperties.class)
@RegisterReflectionForBinding(GroupRolloutProperties.class)
@Import(RolloutDefaults.class)
@ImportRuntimeHints(RolloutHints.class)
public final class GroupConcurrencyRolloutAutoConfiguration {

    private static final String LIFECYCLE_BEAN_NAME = "groupConcurrencyRolloutsLifecycle";

    GroupConcurrencyRolloutAutoConfiguration() {}

    /** Each context receives the events of its own rollouts; Spring passes them to its ancestors. */
    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    RolloutEventSink groupConcurrencyRolloutEvents(ApplicationEventPublisher publisher) {
        return publisher::publishEvent;
    }

    /** Never lazy: each context opens and closes its own. */
    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean(name = LIFECYCLE_BEAN_NAME, search = SearchStrategy.CURRENT)
    RolloutsLifecycle groupConcurrencyRolloutsLifecycle(
            ConfigurableApplicationContext context, RolloutDefaults defaults) {
        return new RolloutsLifecycle(context, defaults.shutdownGrace());
    }

    /** Our rollouts, unless the application has its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnDefaultExecutor(Rollouts.class)
    @ConditionalOnMissingBean(value = Rollouts.class, search = SearchStrategy.CURRENT)
    @Import({
        RolloutStoreConfigurations.Jdbc.class,
        RolloutStoreConfigurations.Memory.class,
        RolloutCheckpointConfiguration.class
    })
    static final class RolloutsConfiguration {

        /** Never lazy: unfinished work in the store is done even if nothing asks for this bean. */
        @Bean
        @Lazy(false)
        Rollouts groupConcurrencyRollouts(ListableBeanFactory beans, RolloutDefaults defaults) {
            String executor = new ExecutorBeans(beans).defaults().getFirst();
            return new ComposedRollouts(beans).over(beans.getBean(executor, GroupExecutor.class), defaults);
        }
    }

    /** Requests by the client that Spring Boot sets up, without redirects. Lazy, since the application's own stages may send none. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClient.class)
    @ConditionalOnSingleCandidate(RestClient.Builder.class)
    static final class RestClientConfiguration {

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        HttpTransport groupConcurrencyRolloutTransport(RestClient.Builder builder, ApplicationContext context) {
            return new RestClientTransport(client(builder, context));
        }

        /**
         * The plan limits its requests. One that took a turn of its own would wait behind the calls of the application while
         * its time-out runs, so that a busy group would fail the change of a healthy tenant. And each has a thread of its own,
         * which isn't inside of its task's permit: it would wait for a further global permit, and its task for it.
         */
        private static RestClient client(RestClient.Builder builder, ApplicationContext context) {
            return builder.clone()
                    .requestInterceptors(each -> each.removeIf(GroupClientHttpRequestInterceptor.class::isInstance))
                    .requestFactory(UnredirectedRequests.in(context))
                    .build();
        }
    }
}
