package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.DeployVersion;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.TaskStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/** Lets native and ahead-of-time compiled applications write and read what rollouts keep as JSON, and make the tables. */
final class RolloutHints implements RuntimeHintsRegistrar {

    /** Kept as JSON, but not part of the API; where Spring Data isn't, that in Redis isn't to be loaded. */
    private static final List<String> NOT_PUBLIC = List.of(
            "io.github.kobe.rollout.internal.rules.Waves",
            "io.github.kobe.rollout.jdbc.TaskRows$Body",
            "io.github.kobe.rollout.redis.RedisCheckpointStore$Entry");

    /** Transaction managers are asked for their {@code DataSource}; the others are those of {@link UnredirectedRequests}. */
    private static final List<String> INVOKED = List.of(
            "org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder",
            "org.springframework.boot.http.client.ClientHttpRequestFactorySettings",
            "org.springframework.boot.http.client.ClientHttpRequestFactorySettings$Redirects",
            "org.springframework.boot.http.client.HttpClientSettings",
            "org.springframework.boot.http.client.HttpRedirects",
            "org.springframework.jdbc.datasource.DataSourceTransactionManager",
            "org.springframework.jdbc.support.JdbcTransactionManager",
            "org.springframework.orm.jpa.JpaTransactionManager",
            "org.springframework.orm.jpa.hibernate.HibernateTransactionManager");

    /** Makes a registrar. */
    public RolloutHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        BindingReflectionHintsRegistrar json = new BindingReflectionHintsRegistrar();
        json.registerReflectionHints(
                hints.reflection(),
                DeployUnit.class,
                DeployVersion.class,
                FailureInfo.class,
                TaskStatus.class,
                Occurrence.class);
        json.registerReflectionHints(hints.reflection(), Occurrence.class.getPermittedSubclasses());
        for (String name : NOT_PUBLIC) {
            if (ClassUtils.isPresent(name, classLoader)) {
                json.registerReflectionHints(hints.reflection(), ClassUtils.resolveClassName(name, classLoader));
            }
        }
        for (String type : INVOKED) {
            hints.reflection().registerTypeIfPresent(classLoader, type, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        hints.resources().registerPattern("io/github/kobe/rollout/jdbc/*/V*.sql");
    }
}
