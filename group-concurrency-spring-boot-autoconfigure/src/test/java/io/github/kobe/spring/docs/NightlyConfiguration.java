package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.scope.ScopeListener;
import io.github.kobe.scope.Scopes;
import java.util.List;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class NightlyConfiguration {

    @Bean(defaultCandidate = false)
    Scopes nightlyScopes(@Qualifier("nightly") GroupExecutor nightly, List<ScopeListener> listeners) {
        return Scopes.of(nightly).withDefaults(defaults -> {
            for (ScopeListener listener : listeners) {
                defaults = defaults.withListener(listener);
            }
            return defaults.withoutTimeout();
        });
    }
}
