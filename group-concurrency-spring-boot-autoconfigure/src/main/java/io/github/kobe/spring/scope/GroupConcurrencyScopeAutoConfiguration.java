package io.github.kobe.spring.scope;

import io.github.kobe.GroupExecutor;
import io.github.kobe.scope.ScopeListener;
import io.github.kobe.scope.ScopeSettings;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.executors.ConditionalOnDefaultExecutor;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import java.util.List;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Makes {@link Scopes} over the default executor. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(GroupScopeProperties.class)
@RegisterReflectionForBinding(GroupScopeProperties.class)
@Import(DefaultTimeout.class)
public final class GroupConcurrencyScopeAutoConfiguration {

    GroupConcurrencyScopeAutoConfiguration() {}

    /** A context with its own executor has its own scopes, which hide those of an ancestor. */
    @Bean
    @ConditionalOnDefaultExecutor(Scopes.class)
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    Scopes groupConcurrencyScopes(
            ListableBeanFactory beans, DefaultTimeout timeout, ObjectProvider<ScopeListener> listeners) {
        String executor = new ExecutorBeans(beans).defaults().getFirst();
        List<ScopeListener> all = listeners.orderedStream().toList();
        return Scopes.of(beans.getBean(executor, GroupExecutor.class)).withDefaults(defaults -> {
            ScopeSettings configured = timeout.in(defaults);
            for (ScopeListener listener : all) {
                configured = configured.withListener(listener);
            }
            return configured;
        });
    }
}
