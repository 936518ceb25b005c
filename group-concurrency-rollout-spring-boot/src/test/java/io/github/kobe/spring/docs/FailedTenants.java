package io.github.kobe.spring.docs;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.RolloutEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class FailedTenants {

    private static final Logger LOGGER = LoggerFactory.getLogger(FailedTenants.class);

    @EventListener
    void hear(RolloutEvent event) {
        if (event.occurrence() instanceof Occurrence.TaskFailed) {
            LOGGER.warn("{} of {}: {}", event.tenantId(), event.planId(), event.message());
        }
    }
}
