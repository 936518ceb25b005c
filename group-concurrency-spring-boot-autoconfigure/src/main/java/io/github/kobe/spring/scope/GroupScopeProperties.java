package io.github.kobe.spring.scope;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of scopes, as they are written. Their ranges are checked by what they come into force in.
 *
 * @param defaultTimeout How long a scope may take that isn't opened with a time-out of its own, zero or more; 0: as long
 *     as it likes.
 */
@ConfigurationProperties(prefix = "group-concurrency.scope", ignoreUnknownFields = false)
record GroupScopeProperties(@DefaultValue("30s") Duration defaultTimeout) {}
