package io.github.kobe.spring.test.listeners;

import static io.github.kobe.spring.test.GroupAssertions.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupWaiter;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

/** What the howtos say of scheduled methods and of listeners: which thread waits, and what happens meanwhile. */
class ListenersTests {

    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class));

    @Test
    void aKafkaConsumerWaitsWithItsOwnThreadAndDoesNotPollMeanwhile() {
        runner.withUserConfiguration(Kafka.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pause("import:a");
            MockConsumer<String, String> consumer = context.getBean(Kafka.class).consumer;
            deliver(consumer, "a", "b");

            Deadline.untilAsserted(() -> assertThat(executor).group("import:a").hasQueued(1));
            GroupWaiter waiter = executor.waiters("import:a", 1).getFirst();
            assertThat(waiter.threadName())
                    .hasValueSatisfying(name -> assertThat(name).startsWith("orders-0-C-"));
            assertThat(context.getBean(OrderImport.class).imported()).isEmpty();

            executor.resume("import:a");
            Deadline.untilAsserted(
                    () -> assertThat(context.getBean(OrderImport.class).imported())
                            .containsExactly("a: order 0", "b: order 1"));
            Deadline.untilAsserted(() -> assertThat(consumer.committed(Set.of(PARTITION)))
                    .hasEntrySatisfying(
                            PARTITION, offset -> assertThat(offset.offset()).isEqualTo(2)));
        });
    }

    @Test
    void aKafkaRecordThatIsRejectedIsDeliveredAgainUntilThereIsRoom() {
        runner.withUserConfiguration(Kafka.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pause("import:a");
            executor.setLimits("import:a", GroupLimits.unset().withQueueThreshold(0));
            MockConsumer<String, String> consumer = context.getBean(Kafka.class).consumer;
            deliver(consumer, "a");

            awaitRejections(executor, 1);
            deliverAgain(consumer);
            awaitRejections(executor, 2);
            executor.resume("import:a");
            deliverAgain(consumer);

            Deadline.untilAsserted(() ->
                    assertThat(context.getBean(OrderImport.class).imported()).containsExactly("a: order 0"));
        });
    }

    private static void awaitRejections(GroupExecutor executor, int expected) {
        Deadline.until(
                expected + " rejections",
                () -> executor.groupStats("import:a").orElseThrow().totals().rejected() == expected);
    }

    /** As a broker does when the consumer has gone back to the first record; the mock forgets what it has delivered. */
    private static void deliverAgain(MockConsumer<String, String> consumer) {
        consumer.schedulePollTask(() -> consumer.addRecord(new ConsumerRecord<>("orders", 0, 0, "a", "order 0")));
    }

    private static void deliver(MockConsumer<String, String> consumer, String... tenants) {
        consumer.schedulePollTask(() -> {
            consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
            consumer.rebalance(List.of(PARTITION));
            for (int i = 0; i < tenants.length; i++) {
                consumer.addRecord(new ConsumerRecord<>("orders", 0, i, tenants[i], "order " + i));
            }
        });
    }

    @Test
    void aRabbitConsumerWaitsWithItsOwnThread() {
        runner.withUserConfiguration(Rabbit.class).run(context -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);
            executor.pause("import:a");
            // Spring for RabbitMQ 4 has another type for them.
            Collection<?> containers =
                    context.getBean(RabbitListenerEndpointRegistry.class).getListenerContainers();
            SimpleMessageListenerContainer container =
                    (SimpleMessageListenerContainer) containers.iterator().next();
            ChannelAwareMessageListener listener = (ChannelAwareMessageListener) container.getMessageListener();
            Message message = MessageBuilder.withBody("first".getBytes(UTF_8))
                    .setContentType("text/plain")
                    .setHeader("tenant", "a")
                    .build();
            Caller<String> delivery = Caller.start(() -> {
                listener.onMessage(message, null);
                return "acknowledged";
            });

            Deadline.untilAsserted(() -> assertThat(executor).group("import:a").hasQueued(1));
            assertThat(executor.waiters("import:a", 1).getFirst().kind()).isEqualTo(GroupWaiter.Kind.THREAD);

            executor.resume("import:a");
            assertThat(delivery.result()).isEqualTo("acknowledged");
            assertThat(context.getBean(OrderImport.class).imported()).containsExactly("a: first");
        });
    }

    @Test
    void aJobForManyTenantsLeavesItsThreadAtOnce() {
        runner.withUserConfiguration(Scheduling.class)
                .withPropertyValues("cleanup.rate=1h")
                .run(context -> {
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    executor.pause("export:acme");

                    context.getBean(NightlyExports.class).exportAll();

                    assertThat(executor).group("export:acme").hasQueued(1);
                    Deadline.untilAsserted(
                            () -> assertThat(executor).group("export:hooli").hasSucceeded(1));
                    context.getBean(Gate.class).open();
                    executor.resume("export:acme");
                    Deadline.untilAsserted(
                            () -> assertThat(executor).group("export:acme").hasSucceeded(1));
                });
    }

    @Test
    void aRunThatComesTooEarlyIsLeftOut() {
        runner.withUserConfiguration(Scheduling.class)
                .withPropertyValues("cleanup.rate=20ms")
                .run(context -> {
                    CleanUp cleanUp = context.getBean(CleanUp.class);
                    Gate gate = context.getBean(Gate.class);
                    gate.awaitArrived(1);

                    Deadline.until("runs that are left out", () -> cleanUp.leftOut() >= 3);

                    assertThat(gate.arrived()).isEqualTo(1);
                    assertThat(context.getBean(GroupExecutor.class))
                            .group("cleanup")
                            .hasRunning(1)
                            .hasQueued(0);
                    gate.open();
                    gate.awaitArrived(2);
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableKafka
    @Import({OrderImport.class, KafkaOrders.class, KafkaErrors.class})
    static class Kafka {

        private final MockConsumer<String, String> consumer = new MockConsumer<>(OffsetResetStrategy.EARLIEST);

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
                DefaultErrorHandler errors) {
            ConcurrentKafkaListenerContainerFactory<String, String> factory =
                    new ConcurrentKafkaListenerContainerFactory<>();
            factory.setCommonErrorHandler(errors);
            factory.setConsumerFactory(
                    new DefaultKafkaConsumerFactory<>(Map.of(
                            "bootstrap.servers",
                            "none:1",
                            "key.deserializer",
                            StringDeserializer.class,
                            "value.deserializer",
                            StringDeserializer.class)) {
                        @Override
                        protected Consumer<String, String> createRawConsumer(Map<String, Object> properties) {
                            return consumer;
                        }
                    });
            return factory;
        }
    }

    /** Without a broker: the containers aren't started, and the test delivers. */
    @Configuration(proxyBeanMethods = false)
    @EnableRabbit
    @Import({OrderImport.class, RabbitOrders.class})
    static class Rabbit {

        @Bean
        SimpleRabbitListenerContainerFactory rabbitListenerContainerFactory() {
            SimpleRabbitListenerContainerFactory factory = new SimpleRabbitListenerContainerFactory();
            factory.setConnectionFactory(new CachingConnectionFactory("none"));
            factory.setAutoStartup(false);
            return factory;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @Import({CleanUp.class, Exports.class, NightlyExports.class})
    static class Scheduling {

        @Bean
        Gate gate() {
            return new Gate();
        }

        /** Spring Boot's own with virtual threads. */
        @Bean
        TaskScheduler taskScheduler() {
            SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler();
            scheduler.setVirtualThreads(true);
            return scheduler;
        }
    }
}
