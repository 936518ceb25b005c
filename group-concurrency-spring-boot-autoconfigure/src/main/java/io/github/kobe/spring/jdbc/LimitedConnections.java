package io.github.kobe.spring.jdbc;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.GroupExecutorBuilder;
import io.github.kobe.spring.internal.executors.ConfiguredExecutors;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SmartDataSource;

/** Limits the connections of the application's data sources, each by an executor of its own, as the settings say. */
final class LimitedConnections implements ConfiguredExecutors, SmartInitializingSingleton {

    /** Makes the executor of a data source. */
    static final String EXECUTOR_METHOD = "executor";

    private static final String REGISTERED =
            "it was registered as a finished object; register a bean definition instead";
    private static final String EARLY = "it was made before what limits data sources, most likely because a"
            + " BeanPostProcessor that is PriorityOrdered needs it; let that one ask for it later, with an"
            + " ObjectProvider or a @Lazy parameter";

    private static final String UNTOLD = "before it was made, nothing told that it would be a DataSource";

    private static final Log LOGGER = LogFactory.getLog(LimitedConnections.class);

    private final Map<String, SharedPool> pools = new LinkedHashMap<>();
    private final List<GroupDataSource> limited = new CopyOnWriteArrayList<>();

    /** The names of the beans that were to be limited. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<ConnectionGroup> group;
    private final GroupExecutorBuilder builder;

    /** {@code null}: not all beans are made. */
    private volatile @Nullable ConnectionGroup ofCallers;

    /**
     * Takes the settings.
     *
     * @param executors the names of the executors' beans, by those of the data sources
     * @param properties the settings
     * @param settings where they came from
     * @param builder makes the executors
     * @param group tells whom a connection is for
     * @param beans the beans of the application
     * @throws io.github.kobe.spring.InvalidSettingException if a setting is out of its range
     */
    LimitedConnections(
            Map<String, String> executors,
            GroupConcurrencyProperties properties,
            BoundSettings settings,
            GroupExecutorBuilder builder,
            ObjectProvider<ConnectionGroup> group,
            ConfigurableListableBeanFactory beans) {
        this.builder = builder;
        this.group = group;
        this.beans = beans;
        ConnectionSettings connections = new ConnectionSettings(properties, settings);
        executors.forEach(
                (dataSource, executor) -> pools.put(dataSource, new SharedPool(dataSource, executor, connections)));
    }

    /**
     * Begins to limit connections. Fails the start if the application has several beans that tell whom a connection is for, and
     * none is primary. What these beans and the executors need may have to wait for others that connect: a migration, for one.
     */
    @Override
    public void afterSingletonsInstantiated() {
        ConnectionGroup only = group.getObject();
        pools.values().forEach(pool -> pool.limitedBy(beans.getBean(pool.executorName(), GroupExecutor.class)));
        ofCallers = only;
        pools.keySet().forEach(this::warnIfOverlooked);
    }

    /** It looks only at beans that are made. */
    private void warnIfOverlooked(String dataSource) {
        if (!seen.contains(dataSource) && beans.getSingleton(dataSource) instanceof DataSource found) {
            warnUnlessLimited(found, dataSource, beans.containsBeanDefinition(dataSource) ? EARLY : REGISTERED);
        }
    }

    /** Warns of a data source of which nothing told before it was made, unless all that it leads to is limited. */
    static void warnUnlessLimited(DataSource found, String beanName) {
        warnUnlessLimited(found, beanName, UNTOLD);
    }

    private static void warnUnlessLimited(DataSource found, String beanName, String why) {
        if (Pools.limited(found) != Pools.Limited.ALL) {
            warn(beanName, why);
        }
    }

    private static void warn(String dataSource, String why) {
        LOGGER.warn("The connections of the data source '" + dataSource + "' aren't limited: " + why + ".");
    }

    /** {@return the caller's group, once all beans are made} */
    private @Nullable String key(SharedPool pool) {
        ConnectionGroup known = ofCallers;
        if (known == null) {
            return null;
        }
        pool.follow();
        return known.current();
    }

    /** {@return the new executor of a data source} */
    GroupExecutor executor(String dataSource) {
        SharedPool pool = Objects.requireNonNull(pools.get(dataSource), dataSource);
        return pool.made(builder.build(pool.executorName(), pool.policy()));
    }

    /**
     * Limits a data source, unless what it leads to is limited already. If it delegates to another, then that is limited: so one
     * that connects at the first statement waits for its turn there too. One that Spring asks whether a connection is to be
     * closed is left as it is, since what limits it would hide it.
     *
     * @param found the data source
     * @param beanName the name of its bean
     * @return what the bean is from now on
     * @throws io.github.kobe.spring.InvalidSettingException if its pool doesn't go with the settings
     * @throws IllegalStateException if it leads to several, and some of them alone are limited
     */
    DataSource limit(DataSource found, String beanName) {
        seen.add(beanName);
        Pools.Limited before = Pools.limited(found);
        if (before == Pools.Limited.ALL) {
            return found;
        }
        if (found instanceof DelegatingDataSource outer && outer.getTargetDataSource() != null) {
            outer.setTargetDataSource(limit(outer.getTargetDataSource(), beanName));
            refuseMixture(Pools.limited(outer), beanName);
            return outer;
        }
        refuseMixture(before, beanName);
        if (found instanceof SmartDataSource) {
            warn(beanName, "it is a SmartDataSource, which says itself whether a connection is to be closed");
            return found;
        }
        SharedPool pool = pools.get(beanName);
        if (pool == null) {
            warn(beanName, UNTOLD);
            return found;
        }
        pool.found(found, Pools.maximumOf(found, beans));
        GroupDataSource ofGroups = new GroupDataSource(found, pool::limitedBy, () -> key(pool));
        limited.add(ofGroups);
        return ofGroups;
    }

    private static void refuseMixture(Pools.Limited limited, String beanName) {
        if (limited == Pools.Limited.SOME) {
            throw new IllegalStateException("The bean '" + beanName + "' leads to several data sources, and only some"
                    + " of them are limited: make each of them a bean of its own, or set"
                    + " group-concurrency.datasource.enabled to false, and limit them by GroupDataSource.limit.");
        }
    }

    /** Has the connections that are with the current thread be with none, until one uses them. */
    void leaveThread() {
        limited.forEach(GroupDataSource::leaveThread);
    }

    @Override
    public List<NewPolicy> read(GroupConcurrencyProperties properties, BoundSettings settings) {
        ConnectionSettings fresh = new ConnectionSettings(properties, settings);
        List<NewPolicy> policies = new ArrayList<>();
        for (SharedPool pool : pools.values()) {
            GroupExecutor executor = beans.getBean(pool.executorName(), GroupExecutor.class);
            if (executor.equals(pool.executor())) {
                GroupPolicy policy = pool.policy(fresh);
                policies.add(new NewPolicy(
                        pool.executorName(),
                        executor,
                        policy,
                        accompanied -> pool.enforce(executor, fresh, accompanied)));
            }
        }
        return policies;
    }
}
