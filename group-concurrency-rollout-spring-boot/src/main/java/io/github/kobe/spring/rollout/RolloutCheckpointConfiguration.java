package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.CheckpointStore;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** Stores checkpoints separately from the tasks, in Redis, if the settings say so. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "group-concurrency.rollout.checkpoint", name = "store-type", havingValue = "redis")
@ConditionalOnMissingBean(CheckpointStore.class)
final class RolloutCheckpointConfiguration {

    private static final String LIBRARY = "org.springframework.data.redis.core.StringRedisTemplate";

    @Bean
    CheckpointStore groupConcurrencyRolloutCheckpoints(
            GroupRolloutProperties properties, RolloutDefaults defaults, BeanFactory beans) {
        if (!ClassUtils.isPresent(LIBRARY, getClass().getClassLoader())) {
            throw defaults.refusal(
                    "can't be redis, since Spring Data Redis isn't on the class path",
                    "row; or redis, with org.springframework.boot:spring-boot-starter-data-redis on the class path",
                    "checkpoint",
                    "store-type");
        }
        return RedisCheckpoints.in(beans, properties.checkpoint().redis(), defaults);
    }
}
