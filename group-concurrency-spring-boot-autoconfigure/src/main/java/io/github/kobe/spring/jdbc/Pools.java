package io.github.kobe.spring.jdbc;

import com.zaxxer.hikari.HikariConfigMXBean;
import java.lang.reflect.Field;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SmartDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** What is known of the pools of data sources. Spring Boot's classes for that, and HikariCP, need not be there. */
final class Pools {

    /** Nothing tells how many connections a pool has at most, or it has no maximum. */
    static final int UNKNOWN = 0;

    private static final boolean BOOT_TELLS =
            isPresent("org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata");

    private static final boolean HIKARI_TELLS = isPresent("com.zaxxer.hikari.HikariConfigMXBean");

    private static final String READ_ONLY = "readOnlyDataSource";

    /** How much of what a data source leads to is limited. */
    enum Limited {
        NONE,
        SOME,
        ALL
    }

    private Pools() {}

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, Pools.class.getClassLoader());
    }

    /** {@return how much of what a data source leads to is limited already} */
    static Limited limited(DataSource found) {
        return switch (found) {
            case AbstractRoutingDataSource routing -> limited(targetsOf(routing));
            case LazyConnectionDataSourceProxy lazy -> limited(Stream.of(lazy.getTargetDataSource(), readOnlyOf(lazy)));
            case DelegatingDataSource outer
            when outer.getTargetDataSource() != null -> limited(outer.getTargetDataSource());
            default -> isWrapperFor(found, GroupDataSource.class) ? Limited.ALL : Limited.NONE;
        };
    }

    private static Limited limited(Stream<@Nullable DataSource> targets) {
        return targets.filter(Objects::nonNull)
                .filter(target -> !(target instanceof SmartDataSource)) // there is nothing to limit in it
                .map(Pools::limited)
                .reduce((one, other) -> one == other ? one : Limited.SOME)
                .orElse(Limited.NONE);
    }

    /** Some resolve their targets otherwise, and so have none here. */
    private static Stream<@Nullable DataSource> targetsOf(AbstractRoutingDataSource routing) {
        try {
            return Stream.concat(
                    routing.getResolvedDataSources().values().stream(),
                    Stream.of(routing.getResolvedDefaultDataSource()));
        } catch (IllegalStateException notResolved) {
            return Stream.of();
        }
    }

    /** It has a setter for that alone. */
    private static @Nullable DataSource readOnlyOf(LazyConnectionDataSourceProxy lazy) {
        DirectFieldAccessor fields = new DirectFieldAccessor(lazy);
        if (!fields.isReadableProperty(READ_ONLY)) {
            throw new IllegalStateException("Whether a LazyConnectionDataSourceProxy has a data source for read-only"
                    + " connections can't be told, since it has no field '" + READ_ONLY + "'");
        }
        return (DataSource) fields.getPropertyValue(READ_ONLY);
    }

    /** For native images, where a field can be read only if that is known beforehand. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
            Field field = ReflectionUtils.findField(LazyConnectionDataSourceProxy.class, READ_ONLY);
            if (field != null) {
                hints.reflection().registerField(field);
            }
        }
    }

    private static boolean isWrapperFor(DataSource found, Class<?> type) {
        try {
            return found.isWrapperFor(type);
        } catch (SQLException | RuntimeException unable) {
            return false;
        }
    }

    /**
     * {@return how many connections the pool of a data source has at most, each time it is asked; or that it is unknown} A data
     * source that chooses among several has no pool of its own.
     *
     * @param found the data source
     * @param beans where Spring Boot has what it knows of pools
     */
    static IntSupplier maximumOf(DataSource found, BeanFactory beans) {
        if (!BOOT_TELLS || found instanceof AbstractRoutingDataSource) {
            return () -> UNKNOWN;
        }
        return Boot.maximumOf(found, beans, isHikari(found) ? Hikari.DEFAULT_MAXIMUM : UNKNOWN);
    }

    private static boolean isHikari(DataSource found) {
        return HIKARI_TELLS && isWrapperFor(found, HikariConfigMXBean.class);
    }

    /** {@return how long the pool of a data source has its callers wait; empty: it is unknown} */
    static Optional<Duration> timeoutOf(DataSource found) {
        return isHikari(found) ? Optional.of(Hikari.timeoutOf(found)) : Optional.empty();
    }

    /** Loaded only where Spring Boot's classes are. */
    private static final class Boot {

        static IntSupplier maximumOf(DataSource found, BeanFactory beans, int unsaid) {
            List<DataSourcePoolMetadataProvider> providers = beans.getBeanProvider(DataSourcePoolMetadataProvider.class)
                    .orderedStream()
                    .toList();
            DataSourcePoolMetadataProvider provider = new CompositeDataSourcePoolMetadataProvider(providers);
            if (AopUtils.isAopProxy(found)) { // as of a scope, which may have another pool each time
                return () -> maximumOf(provider.getDataSourcePoolMetadata(found), unsaid);
            }
            DataSourcePoolMetadata pool = provider.getDataSourcePoolMetadata(found);
            return () -> maximumOf(pool, unsaid);
        }

        private static int maximumOf(@Nullable DataSourcePoolMetadata pool, int unsaid) {
            if (pool == null) {
                return UNKNOWN;
            }
            Integer told = pool.getMax();
            return told == null || told < 1 || told == Integer.MAX_VALUE ? unsaid : told;
        }
    }

    /** Loaded only where HikariCP is. */
    private static final class Hikari {

        /** Of a pool that was given no number and has no connection yet. */
        static final int DEFAULT_MAXIMUM = 10;

        static Duration timeoutOf(DataSource found) {
            try {
                return Duration.ofMillis(found.unwrap(HikariConfigMXBean.class).getConnectionTimeout());
            } catch (SQLException impossible) {
                throw new IllegalStateException(impossible); // it said that it is a wrapper for that
            }
        }
    }
}
