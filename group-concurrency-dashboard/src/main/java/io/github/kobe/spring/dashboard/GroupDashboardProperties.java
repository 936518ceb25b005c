package io.github.kobe.spring.dashboard;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the live page, as they are written.
 *
 * @param enabled Whether there is a page that shows groups, scopes and rollouts; it uses the exposed endpoints.
 * @param path The path of the page, on the port of the endpoints: a slash and a plain name, or several of these.
 */
@ConfigurationProperties(prefix = "group-concurrency.dashboard", ignoreUnknownFields = false)
record GroupDashboardProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("/group-concurrency") String path) {}
