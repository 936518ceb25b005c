package io.github.kobe.spring.test.listeners;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

@Component
class KafkaOrders {

    private final OrderImport orders;

    KafkaOrders(OrderImport orders) {
        this.orders = orders;
    }

    @KafkaListener(id = "orders", topics = "orders", properties = "max.poll.records=20")
    public void receive(ConsumerRecord<String, String> order) {
        orders.run(order.key(), order.value()); // the consumer's thread waits here for its turn
    }
}
