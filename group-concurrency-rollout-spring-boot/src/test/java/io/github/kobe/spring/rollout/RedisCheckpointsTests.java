package io.github.kobe.spring.rollout;

import static io.github.kobe.spring.testing.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.redis.RedisCheckpointStore;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Whether checkpoints are kept in Redis; that they can be is tested where the store is. */
@Tag("R62")
class RedisCheckpointsTests {

    private final ApplicationContextRunner withoutRedis = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRolloutAutoConfiguration.class))
            .withBean(Stage.class, () -> Stage.named("Nothing"))
            .withPropertyValues("group-concurrency.rollout.store=memory");

    private final ApplicationContextRunner runner =
            withoutRedis.withPropertyValues("group-concurrency.rollout.checkpoint.store-type=redis");

    @Test
    void besideRedisTheyAreWithTheTasksUnlessTheSettingsSayOtherwise() {
        withoutRedis
                .withBean(RedisConnectionFactory.class, RedisCheckpointsTests::connections)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CheckpointStore.class));
    }

    @Test
    void withATemplateOrItsConnectionsTheyAreInRedis() {
        runner.withBean(RedisConnectionFactory.class, RedisCheckpointsTests::connections)
                .run(context ->
                        assertThat(context).getBean(CheckpointStore.class).isInstanceOf(RedisCheckpointStore.class));
        runner.withBean(StringRedisTemplate.class, () -> new StringRedisTemplate(connections()))
                .run(context ->
                        assertThat(context).getBean(CheckpointStore.class).isInstanceOf(RedisCheckpointStore.class));
    }

    @Test
    @Tag("R106")
    void aStoreOfTheApplicationsOwnIsTheOnlyOne() {
        CheckpointStore own = CheckpointStore.inMemory();
        runner.withBean(CheckpointStore.class, () -> own)
                .run(context ->
                        assertThat(context).getBean(CheckpointStore.class).isSameAs(own));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        checkpoint.redis.namespace=orders | checkpoint.redis.namespace | orders | some text that ends in a colon
        checkpoint.redis.ttl=10ms         | checkpoint.redis.ttl       | 10ms   | 1 second to 365 days
        """)
    @Tag("R134")
    void aSettingOutOfItsRangeFailsTheStart(String setting, String name, String value, String allowed) {
        runner.withBean(RedisConnectionFactory.class, RedisCheckpointsTests::connections)
                .withPropertyValues("group-concurrency.rollout." + setting)
                .run(refused("rollout." + name, value, allowed));
    }

    @Test
    @Tag("R134")
    void withoutRedisThatFailsTheStart() {
        runner.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage(
                        "Setting 'group-concurrency.rollout.checkpoint.store-type' can't be redis, since there is no"
                                + " one RedisConnectionFactory bean"));
    }

    /** Nobody connects. */
    private static RedisConnectionFactory connections() {
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                RedisCheckpointsTests.class.getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class},
                (proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : null);
    }
}
