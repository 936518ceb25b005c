package io.github.kobe.spring.jdbc;

import java.sql.SQLException;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Reports that a data source is asked for by the type of its pool, which its bean no longer has. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class PoolTypeFailureAnalyzer implements FailureAnalyzer {

    /** By its name, since Spring's classes for JDBC need not be there. */
    private static final String LIMITED = "io.github.kobe.spring.jdbc.GroupDataSource";

    /** What Spring says of a call of another {@code @Bean} method of the same configuration class. */
    private static final String OVERRIDDEN = "bean instance of type [" + LIMITED + "]";

    private final BeanFactory beans;

    /** Made by Spring Boot. */
    PoolTypeFailureAnalyzer(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BeanNotOfRequiredTypeException other
                    && other.getActualType().getName().equals(LIMITED)) {
                return analysis(other.getBeanName(), other.getRequiredType(), cause);
            }
            if (cause instanceof NoSuchBeanDefinitionException missing) {
                Class<?> type = missing.getBeanType();
                String name = type == null || !DataSource.class.isAssignableFrom(type) ? null : limitedPool(type);
                return type == null || name == null ? null : analysis(name, type, cause);
            }
            if (cause instanceof IllegalStateException illegal
                    && String.valueOf(illegal.getMessage()).contains(OVERRIDDEN)) {
                return analysis(null, null, cause);
            }
        }
        return null;
    }

    /** {@return the bean of a limited data source with a pool of a type; {@code null}: there is none} */
    private @Nullable String limitedPool(Class<?> type) {
        return beans instanceof ConfigurableListableBeanFactory all
                ? Stream.of(all.getBeanNamesForType(DataSource.class, true, false))
                        .filter(name -> all.getSingleton(name) instanceof DataSource made
                                && made.getClass().getName().equals(LIMITED)
                                && leadsTo(made, type))
                        .findFirst()
                        .orElse(null)
                : null;
    }

    private static boolean leadsTo(DataSource made, Class<?> type) {
        try {
            return made.isWrapperFor(type);
        } catch (SQLException unable) {
            return false;
        }
    }

    private static FailureAnalysis analysis(@Nullable String bean, @Nullable Class<?> asked, Throwable cause) {
        String pool = asked == null ? "HikariDataSource" : asked.getSimpleName();
        return new FailureAnalysis(
                "%s is asked for as %s, but its connections are limited by group-concurrency.datasource or by"
                                .formatted(
                                        bean == null ? "The bean of a data source" : "The bean '" + bean + "'",
                                        asked == null ? "the type of its pool" : asked.getName())
                        + " hand, so it is a javax.sql.DataSource that leads to the pool.",
                "Ask for a DataSource. Whoever needs the pool itself has it from dataSource.unwrap(" + pool
                        + ".class). A @Bean method that another one of its class calls has to return DataSource.",
                cause);
    }
}
