package io.github.kobe.spring.client;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Role;

/** Tells {@link RetryAfter} of each executor that is a bean. A client has nothing but its executor to ask. */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class PausableExecutors implements BeanPostProcessor {

    /** Asked for with the first executor, since all that this needs at once is made before most beans. */
    private final ObjectProvider<GroupConcurrencyProperties> properties;

    PausableExecutors(ObjectProvider<GroupConcurrencyProperties> properties) {
        this.properties = properties;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof GroupExecutor executor) {
            Duration longest = properties.getObject().client().honourRetryAfter();
            if (longest != null) {
                RetryAfter.allow(executor, longest);
            }
        }
        return bean;
    }
}
