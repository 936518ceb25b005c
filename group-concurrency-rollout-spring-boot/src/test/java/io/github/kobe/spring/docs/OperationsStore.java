package io.github.kobe.spring.docs;

import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class OperationsStore {

    @Bean
    RolloutStore rolloutStore(@Qualifier("operations") DataSource dataSource, ConfigCodec codec) {
        return JdbcRolloutStore.of(dataSource)
                .withApplication("shop")
                .withCodec(codec)
                .createTables();
    }
}
