package io.github.kobe.spring.test.listeners;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;

@Component
class RabbitOrders {

    private final OrderImport orders;

    RabbitOrders(OrderImport orders) {
        this.orders = orders;
    }

    @RabbitListener(id = "orders", queues = "orders", concurrency = "8")
    public void receive(@Header("tenant") String tenantId, @Payload String order) {
        orders.run(tenantId, order); // the consumer's thread waits here for its turn
    }
}
