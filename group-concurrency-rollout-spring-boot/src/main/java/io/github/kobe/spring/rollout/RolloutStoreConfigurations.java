package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Chooses where rollouts are stored: the first of these that is possible, unless the application has its own store. A
 * store of an ancestor context doesn't count, because it runs the drives of the rollouts there.
 */
final class RolloutStoreConfigurations {

    private RolloutStoreConfigurations() {}

    /** In the database. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JdbcClient.class, DataSourceScriptDatabaseInitializer.class})
    @ConditionalOnProperty(
            prefix = "group-concurrency.rollout",
            name = "store",
            havingValue = "jdbc",
            matchIfMissing = true)
    @ConditionalOnSingleCandidate(DataSource.class)
    @ConditionalOnMissingBean(value = RolloutStore.class, search = SearchStrategy.CURRENT)
    static final class Jdbc {

        @Bean
        @ConditionalOnMissingBean(name = "groupConcurrencyRolloutTables")
        RolloutTables groupConcurrencyRolloutTables(DataSource dataSource, GroupRolloutProperties properties) {
            return new RolloutTables(dataSource, properties.initializeSchema());
        }

        /** After whatever makes tables, {@link RolloutTables} or another. */
        @Bean
        @DependsOnDatabaseInitialization
        RolloutStore groupConcurrencyRolloutStore(
                DataSource dataSource,
                ObjectProvider<PlatformTransactionManager> managers,
                ObjectProvider<ConfigCodec> codec,
                RolloutDefaults defaults,
                Environment environment) {
            JdbcRolloutStore store = JdbcRolloutStore.of(dataSource)
                    .withApplication(defaults.application(environment))
                    .withCodec(codec.getIfAvailable(ConfigCodec::none));
            return DatabaseStore.in(store, dataSource, managers.orderedStream().toList(), defaults);
        }
    }

    /** In memory. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(value = RolloutStore.class, search = SearchStrategy.CURRENT)
    static final class Memory {

        @Bean
        RolloutStore groupConcurrencyRolloutStore(
                GroupRolloutProperties properties, RolloutDefaults defaults, ListableBeanFactory beans) {
            return new MissingDatabase(beans).memoryInstead(properties.store(), defaults);
        }
    }
}
