package io.github.kobe.spring.jdbc;

import io.github.kobe.GroupExecutor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers one executor for each data source: {@code connections}, or {@code connections-} and the name of the data source's bean
 * if there are several. None is a default candidate, so the starter's own executor stays the one that is injected by type. An
 * executor of the application's that has the name takes the place of ours.
 */
final class ConnectionExecutors implements ImportBeanDefinitionRegistrar {

    private static final String EXECUTOR = "connections";

    /** The name of the bean that limits the connections of a context's own data sources. */
    static final String CONNECTIONS = "groupConcurrencyConnections";

    private static final Log LOGGER = LogFactory.getLog(ConnectionExecutors.class);

    private final ListableBeanFactory beans;

    /** Made by Spring. */
    ConnectionExecutors(BeanFactory beans) {
        this.beans = (ListableBeanFactory) beans;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Map<String, String> executors = executorsByDataSource();
        if (executors.isEmpty() && beans.containsBean(CONNECTIONS)) {
            return; // all data sources are a parent's, and so is what limits them
        }
        if (executors.isEmpty()) {
            LOGGER.warn("No connections are limited: there is a ConnectionGroup, and no DataSource bean.");
        }
        RootBeanDefinition connections = new RootBeanDefinition(LimitedConnections.class);
        connections.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        connections.getConstructorArgumentValues().addIndexedArgumentValue(0, executors);
        registry.registerBeanDefinition(CONNECTIONS, connections);
        executors.forEach((dataSource, executor) -> {
            if (!registry.containsBeanDefinition(executor)) {
                registry.registerBeanDefinition(executor, executorOf(dataSource));
            } else if (!beans.isTypeMatch(executor, GroupExecutor.class)) {
                throw new IllegalStateException(
                        "The bean '" + executor + "' isn't a GroupExecutor, and the executor that"
                                + " limits the connections of the data source '" + dataSource
                                + "' is to have this name: give the bean another name, or set"
                                + " group-concurrency.datasource.enabled to false.");
            }
        });
    }

    private Map<String, String> executorsByDataSource() {
        List<String> dataSources = Stream.of(beans.getBeanNamesForType(DataSource.class, true, false))
                .filter(name -> !ScopedProxyUtils.isScopedTarget(name))
                .toList();
        Map<String, String> executors = new LinkedHashMap<>();
        dataSources.forEach(name -> executors.put(name, dataSources.size() == 1 ? EXECUTOR : EXECUTOR + "-" + name));
        return executors;
    }

    private static RootBeanDefinition executorOf(String dataSource) {
        RootBeanDefinition executor = new RootBeanDefinition();
        executor.setTargetType(GroupExecutor.class);
        executor.setFactoryBeanName(CONNECTIONS);
        executor.setFactoryMethodName(LimitedConnections.EXECUTOR_METHOD);
        executor.getConstructorArgumentValues().addIndexedArgumentValue(0, dataSource);
        executor.setDefaultCandidate(false);
        return executor;
    }
}
