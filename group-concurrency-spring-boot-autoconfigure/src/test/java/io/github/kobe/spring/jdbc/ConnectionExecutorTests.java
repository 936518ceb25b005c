package io.github.kobe.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class ConnectionExecutorTests {

    @Test
    void thereIsOneForTheDataSourceBesideTheOneThatIsInjectedByType() {
        PooledApplication.ofPool(10).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean("connections", GroupExecutor.class)
                            .policy()
                            .globalMaxInFlight())
                    .isEqualTo(9);
            assertThat(context.getBeanProvider(GroupExecutor.class).getObject())
                    .isSameAs(context.getBean("groupExecutor"));
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(dataSource).isExactlyInstanceOf(LimitedDataSource.class);
            dataSource.getConnection().close();
            assertThat(dataSource.unwrap(HikariDataSource.class).isRunning()).isTrue();
            assertThat(dataSource.isWrapperFor(HikariConfigMXBean.class)).isTrue();
        });
    }
}
