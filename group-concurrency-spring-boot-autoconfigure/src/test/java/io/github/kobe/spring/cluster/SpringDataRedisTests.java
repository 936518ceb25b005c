package io.github.kobe.spring.cluster;

import static io.github.kobe.spring.testing.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Where the store of an application is, by its settings. None of these servers exists. */
class SpringDataRedisTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(BootAutoConfigurations.either("RedisAutoConfiguration", "DataRedisAutoConfiguration"))
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRedisAutoConfiguration.class))
            .withPropertyValues("spring.application.name=reports");

    private void storeIs(String shown, String... settings) {
        runner.withPropertyValues(settings)
                .run(context -> assertThat(context.getBean(ClusterStore.class))
                        .hasToString("RedisClusterStore[" + shown + "]"));
    }

    @Test
    void itIsWhereSpringDataConnectsTo() {
        storeIs("redis-7:6380/gc:{reports}", "spring.data.redis.host=redis-7", "spring.data.redis.port=6380");
    }

    @Test
    void itIsWhatSentinelsWatch() {
        runner.withPropertyValues(
                        "spring.data.redis.sentinel.master=primary",
                        "spring.data.redis.sentinel.nodes=one:26379,two:26380",
                        "spring.data.redis.password=secret")
                .run(context -> assertThat(context.getBean(ClusterStore.class).toString())
                        .contains("primary", "one:26379", "two:26380")
                        .doesNotContain("secret"));
    }

    @Test
    void anAddressOfOurOwnComesFirst() {
        storeIs(
                "other:6379/limits:{shop}",
                "spring.data.redis.host=redis-7",
                "group-concurrency.redis.uri=redis://user:secret@other:6379",
                "group-concurrency.redis.key-prefix=limits:",
                "group-concurrency.cluster.namespace=shop");
    }

    @Test
    void anAddressThatCannotBeReadIsToldWithoutItsPassword() {
        runner.withPropertyValues("group-concurrency.redis.uri=http://user:secret@other:6379")
                .run(context -> assertThat(catchThrowable(() -> context.getBean(ClusterStore.class)))
                        .rootCause()
                        .isInstanceOfSatisfying(InvalidSettingException.class, refusal -> {
                            assertThat(refusal.property()).isEqualTo("group-concurrency.redis.uri");
                            assertThat(refusal.value()).isNull();
                            assertThat(refusal.toString()).doesNotContain("secret");
                        }));
    }

    @Test
    void aClusterOfRedisIsRefused() {
        runner.withPropertyValues("spring.data.redis.cluster.nodes=one:6379,two:6379")
                .run(context -> assertThat(catchThrowable(() -> context.getBean(ClusterStore.class)))
                        .rootCause()
                        .hasMessageContaining("connects to a Redis Cluster")
                        .hasMessageContaining("group-concurrency.redis.uri"));
    }

    @Test
    void aPrimaryAndReplicasByNameAreRefused() {
        runner.withPropertyValues("spring.data.redis.masterreplica.nodes=one:6379,two:6379")
                .run(context -> assertThat(catchThrowable(() -> context.getBean(ClusterStore.class)))
                        .rootCause()
                        .hasMessageContaining("connects to a primary and its replicas by name"));
    }

    @Test
    void aPrimaryAndReplicasOfABeanAreRefused() {
        RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("primary", 6379);
        runner.withBean(RedisStaticMasterReplicaConfiguration.class, () -> nodes)
                .withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory(nodes))
                .run(context -> assertThat(catchThrowable(() -> context.getBean(ClusterStore.class)))
                        .rootCause()
                        .hasMessageContaining("connects to a primary and its replicas by name"));
    }

    @Test
    void aPrimaryAndReplicasOfAnotherFactoryAreLeftAlone() {
        runner.withBean(
                        RedisStaticMasterReplicaConfiguration.class,
                        () -> new RedisStaticMasterReplicaConfiguration("primary", 6379))
                .withBean(
                        RedisConnectionFactory.class,
                        () -> new LettuceConnectionFactory(new RedisStandaloneConfiguration("main", 7000)))
                .run(context -> assertThat(context.getBean(ClusterStore.class))
                        .hasToString("RedisClusterStore[main:7000/gc:{reports}]"));
    }

    @Test
    void aFactoryThatDoesNotShowWhereItConnectsToIsRefused() {
        RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("primary", 6379);
        nodes.setPassword("secret");
        Stream.of(nodes, LettuceConnectionFactory.createRedisConfiguration("redis://own:7000"))
                .map(LettuceConnectionFactory::new)
                .forEach(factory -> runner.withBean(RedisConnectionFactory.class, () -> factory)
                        .run(context -> assertThat(catchThrowable(() -> context.getBean(ClusterStore.class)))
                                .rootCause()
                                .hasMessageContaining("connects by a configuration that its factory doesn't show")
                                .hasMessageContaining("group-concurrency.redis.uri")
                                .hasMessageNotContaining("secret")));
    }

    @Test
    void aFactoryOfTheApplicationIsFoundByItsInterface() {
        runner.withBean(
                        RedisConnectionFactory.class,
                        () -> new LettuceConnectionFactory(new RedisStandaloneConfiguration("own", 7000)))
                .run(context -> assertThat(context.getBean(ClusterStore.class))
                        .hasToString("RedisClusterStore[own:7000/gc:{reports}]"));
    }

    @Test
    void aMisspeltAddressIsToldWithoutItsPassword() {
        runner.withPropertyValues("group-concurrency.redis.url=redis://:secret@other")
                .run(context -> {
                    List<Throwable> causes = Stream.iterate(
                                    context.getStartupFailure(), Objects::nonNull, Throwable::getCause)
                            .toList();
                    assertThat(causes)
                            .noneMatch(
                                    cause -> String.valueOf(cause.getMessage()).contains("secret"))
                            .filteredOn(InvalidSettingException.class::isInstance)
                            .singleElement()
                            .satisfies(refused -> assertThat(((InvalidSettingException) refused).value())
                                    .isNull())
                            .satisfies(refused -> assertThat(refused)
                                    .hasMessageContaining("Did you mean 'group-concurrency.redis.uri'?"));
                });
    }

    @Test
    void anApplicationWhoseNameCannotBeInAKeyIsToldSo() {
        runner.withPropertyValues("spring.application.name={a}")
                .run(context -> assertThat(catchThrowable(() -> context.getBean(ClusterStore.class)))
                        .hasStackTraceContaining("spring.application.name can't be the namespace"));
    }

    @Test
    void aNameThatCannotBeInAKeyIsRefused() {
        runner.withPropertyValues(
                        "group-concurrency.cluster.namespace={a}",
                        "group-concurrency.cluster.on-store-loss=closed",
                        "group-concurrency.defaults.cluster-max-in-flight=2")
                .run(refused("cluster.namespace", "{a}", "at most 255 characters, without '{' and '}'"));
    }

    @Test
    void withoutANameOfTheApplicationThereIsNoNamespace() {
        new ApplicationContextRunner()
                .withConfiguration(
                        BootAutoConfigurations.either("RedisAutoConfiguration", "DataRedisAutoConfiguration"))
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRedisAutoConfiguration.class))
                .withPropertyValues(
                        "group-concurrency.cluster.on-store-loss=closed",
                        "group-concurrency.defaults.cluster-max-in-flight=2")
                .run(refused(
                        "cluster.namespace",
                        null,
                        "a name that the instances which share limits have in common, and no others"));
    }

    @Test
    void nothingConnectsUnlessALimitIsShared() {
        runner.run(context -> assertThat(context.getBeanFactory().containsSingleton("groupConcurrencyClusterStore"))
                .isFalse());
    }

    @Test
    void withoutSpringDataThereIsNoStoreButByOurAddress() {
        ApplicationContextRunner without =
                runner.withClassLoader(new FilteredClassLoader(LettuceConnectionFactory.class));

        without.run(context -> assertThat(context).doesNotHaveBean(ClusterStore.class));
        without.withPropertyValues("group-concurrency.redis.uri=redis://other")
                .run(context -> assertThat(context).hasSingleBean(ClusterStore.class));
    }
}
