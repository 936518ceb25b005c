package io.github.kobe.spring.cluster;

import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.redis.RedisClusterStore;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.lettuce.core.RedisURI;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes the store in Redis by which instances share limits, if something asks for one: at {@code group-concurrency.redis.uri}, or
 * else where Spring Data's Lettuce connects to. Backs off if the application has a {@link ClusterStore} or
 * {@link ClusterSettings} of its own.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnClass(RedisClusterStore.class)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
public final class GroupConcurrencyRedisAutoConfiguration {

    GroupConcurrencyRedisAutoConfiguration() {}

    /** Where our own setting says. */
    @Configuration(proxyBeanMethods = false)
    @Order(1)
    @ConditionalOnProperty("group-concurrency.redis.uri")
    static final class UriConfiguration {

        @Bean
        @Lazy
        @ConditionalOnMissingBean({ClusterStore.class, ClusterSettings.class})
        ClusterStore groupConcurrencyClusterStore(
                GroupConcurrencyProperties properties, BoundSettings settings, Environment environment) {
            String uri = String.valueOf(properties.redis().uri());
            try {
                return named(RedisClusterStore.builder(RedisURI.create(uri)), properties, settings, environment);
            } catch (IllegalArgumentException unreadable) {
                throw settings.refusal( // without the cause: there may be a password in it
                        "can't be read",
                        "an address such as redis://host:6379, rediss://host:6379 or"
                                + " redis-sentinel://host:26379#primary",
                        null,
                        "redis",
                        "uri");
            }
        }
    }

    /** Where Spring Data connects to. */
    @Configuration(proxyBeanMethods = false)
    @Order(2)
    @ConditionalOnClass(LettuceConnectionFactory.class)
    @ConditionalOnSingleCandidate(RedisConnectionFactory.class)
    static final class SpringDataConfiguration {

        @Bean
        @Lazy
        @ConditionalOnMissingBean({ClusterStore.class, ClusterSettings.class})
        ClusterStore groupConcurrencyClusterStore(
                RedisConnectionFactory factory,
                ObjectProvider<RedisStaticMasterReplicaConfiguration> primaryAndReplicas,
                GroupConcurrencyProperties properties,
                BoundSettings settings,
                Environment environment) {
            return named(
                    SpringDataRedis.store(factory, primaryAndReplicas, environment), properties, settings, environment);
        }
    }

    private static ClusterStore named(
            RedisClusterStore.Builder store,
            GroupConcurrencyProperties properties,
            BoundSettings settings,
            Environment environment) {
        String namespace = properties.cluster().namespace();
        String name = namespace == null ? environment.getProperty("spring.application.name") : namespace;
        if (name == null) {
            throw settings.refusal(
                    "isn't set, and neither is spring.application.name",
                    "a name that the instances which share limits have in common, and no others",
                    null,
                    "cluster",
                    "namespace");
        }
        if (namespace == null) {
            takeName(store, name);
        } else {
            check(() -> store.namespace(name), settings, "cluster", "namespace");
        }
        check(() -> store.keyPrefix(properties.redis().keyPrefix()), settings, "redis", "key-prefix");
        return store.build();
    }

    private static void takeName(RedisClusterStore.Builder store, String application) {
        try {
            store.namespace(application);
        } catch (IllegalArgumentException refused) {
            throw new IllegalStateException(
                    "spring.application.name can't be the namespace of limits over all instances: "
                            + refused.getMessage() + ". Set group-concurrency.cluster.namespace.",
                    refused);
        }
    }

    private static void check(Runnable setting, BoundSettings settings, String... name) {
        try {
            setting.run();
        } catch (IllegalArgumentException refused) {
            throw settings.refusal(
                    "can't be part of a key in Redis", "at most 255 characters, without '{' and '}'", null, name);
        }
    }
}
