package io.github.kobe.spring.scope;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of scopes, as they are written. Their ranges are checked where they come into force.
 *
 * @param defaultTimeout How long a scope may take if it isn't opened with its own time-out, more than zero, or "unlimited".
 */
@ConfigurationProperties(prefix = "group-concurrency.scope", ignoreUnknownFields = false)
record GroupScopeProperties(@DefaultValue("30s") Duration defaultTimeout) {}
