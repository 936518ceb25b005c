package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.redis.RedisCheckpointStore;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Makes a store of checkpoints in the Redis of the application. */
final class RedisCheckpoints {

    private RedisCheckpoints() {}

    static CheckpointStore in(BeanFactory beans, GroupRolloutProperties.Redis settings, RolloutDefaults defaults) {
        StringRedisTemplate redis = template(beans);
        if (redis == null) {
            throw defaults.refusal(
                    "can't be redis, since there is no one RedisConnectionFactory bean",
                    "row; or redis, with a StringRedisTemplate or RedisConnectionFactory bean, such as that of"
                            + " spring.data.redis.host",
                    "checkpoint",
                    "store-type");
        }
        RedisCheckpointStore store = RedisCheckpointStore.of(redis);
        try {
            store = store.withNamespace(settings.namespace());
        } catch (IllegalArgumentException otherForm) {
            throw defaults.refusal(
                    "has another form", "some text that ends in a colon", "checkpoint", "redis", "namespace");
        }
        try {
            return store.withTtl(settings.ttl());
        } catch (IllegalArgumentException outOfRange) {
            throw defaults.refusal("is out of its range", "1 second to 365 days", "checkpoint", "redis", "ttl");
        }
    }

    private static @Nullable StringRedisTemplate template(BeanFactory beans) {
        StringRedisTemplate template =
                beans.getBeanProvider(StringRedisTemplate.class).getIfUnique();
        if (template != null) {
            return template;
        }
        RedisConnectionFactory connections =
                beans.getBeanProvider(RedisConnectionFactory.class).getIfUnique();
        return connections == null ? null : new StringRedisTemplate(connections);
    }
}
