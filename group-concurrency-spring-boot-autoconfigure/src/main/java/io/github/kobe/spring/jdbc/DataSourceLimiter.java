package io.github.kobe.spring.jdbc;

import javax.sql.DataSource;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Limits data sources as soon as they are made. It comes before whatever has no such priority, as what traces statements, or
 * connects at the first one: that is outside of the limit. Of a scoped data source the one that everybody sees is limited.
 */
final class DataSourceLimiter implements BeanPostProcessor, PriorityOrdered {

    private final ObjectProvider<LimitedConnections> connections;
    private final HierarchicalBeanFactory beans;

    DataSourceLimiter(ObjectProvider<LimitedConnections> connections, HierarchicalBeanFactory beans) {
        this.connections = connections;
        this.beans = beans;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (!(bean instanceof DataSource found) || ScopedProxyUtils.isScopedTarget(beanName)) {
            return bean;
        }
        if (!beans.containsLocalBean(ConnectionExecutors.CONNECTIONS)) { // a parent's knows the parent's data sources
            LimitedConnections.warnUnlessLimited(found, beanName);
            return found;
        }
        return connections.getObject().limit(found, beanName);
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}
