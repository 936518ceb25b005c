package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import java.time.Duration;
import org.springframework.context.annotation.Lazy;

/**
 * The settings of rollouts, after their ranges were checked. Never lazy: a bad setting should fail the start-up, even if
 * the application has its own rollouts.
 */
@Lazy(false)
final class RolloutDefaults {

    private static final String MORE_THAN_ZERO = "more than zero";

    private final GroupRolloutProperties properties;
    private final BoundSettings settings;

    /**
     * Takes the settings.
     *
     * @param properties their values
     * @param settings where they came from
     * @throws InvalidSettingException if one is out of its range
     */
    RolloutDefaults(GroupRolloutProperties properties, BoundSettings settings) {
        this.properties = properties;
        this.settings = settings;
        GroupRolloutProperties.Health health = properties.health();
        require(properties.tenantsAtOnce() >= 1, "at least 1", "tenants-at-once");
        require(!properties.shutdownGrace().isNegative(), "zero or more", "shutdown-grace");
        require(!properties.events().giveUpAfter().isNegative(), "zero or more", "events", "give-up-after");
        require(!health.path().isBlank(), "a path such as /health", "health", "path");
        require(!health.versionKey().isBlank(), "the name of a field", "health", "version-key");
        require(health.interval().isPositive(), MORE_THAN_ZERO, "health", "interval");
        require(health.maxAttempts() >= 1, "at least 1", "health", "max-attempts");
        require(health.timeout().isPositive(), MORE_THAN_ZERO, "health", "timeout");
        require(properties.http().timeout().isPositive(), MORE_THAN_ZERO, "http", "timeout");
    }

    private void require(boolean isInRange, String allowed, String... elements) {
        if (!isInRange) {
            throw refusal("must be " + allowed, allowed, elements);
        }
    }

    /** {@return the exception for a setting that is named by the elements after {@code rollout}} */
    InvalidSettingException refusal(String problem, String allowed, String... elements) {
        String[] all = new String[elements.length + 1];
        all[0] = "rollout";
        System.arraycopy(elements, 0, all, 1, elements.length);
        return settings.refusal(problem, allowed, null, all);
    }

    Duration shutdownGrace() {
        return properties.shutdownGrace();
    }

    void applyTo(RolloutsBuilder builder) {
        GroupRolloutProperties.Health health = properties.health();
        builder.maxConcurrency(properties.tenantsAtOnce())
                .conflict(properties.conflict())
                .shutdownGrace(properties.shutdownGrace())
                .giveUpEventsAfter(properties.events().giveUpAfter())
                .setting("health.path", health.path())
                .setting("health.version-key", health.versionKey())
                .setting("health.interval", health.interval().toString())
                .setting("health.max-attempts", Integer.toString(health.maxAttempts()))
                .setting("health.timeout", health.timeout().toString())
                .setting("http.timeout", properties.http().timeout().toString());
    }
}
