package io.github.kobe.spring.client;

import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;

/** Lets answers to calls pause the groups of executors that are beans, if the settings say so. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnClass(HttpHeaders.class)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
@ConditionalOnProperty("group-concurrency.client.honour-retry-after")
@Import(PausableExecutors.class)
public final class GroupConcurrencyClientAutoConfiguration {

    GroupConcurrencyClientAutoConfiguration() {}
}
