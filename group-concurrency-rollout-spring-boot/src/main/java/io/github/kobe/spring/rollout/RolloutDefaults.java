package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * The settings of rollouts, after their ranges were checked. Never lazy: a bad setting should fail the start-up, even if
 * the application has its own rollouts.
 */
@Lazy(false)
final class RolloutDefaults {

    private static final Duration LONGEST = Duration.ofDays(365);
    private static final Duration LONGEST_RETRY_WAIT = Duration.ofMinutes(5);

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
        require(!properties.waitForStages().isNegative(), "zero or more", "wait-for-stages");
        Duration retention = properties.retention();
        require(retention == null || retention.isPositive(), "more than zero", "retention");
        String application = properties.application();
        require(
                application == null || isName(application),
                "1 to 100 characters, not all blank, none of them a control character",
                "application");
        require(properties.node() == null || !properties.node().isBlank(), "a name", "node");
        require(!properties.events().giveUpAfter().isNegative(), "zero or more", "events", "give-up-after");
        require(!health.path().isBlank(), "a path such as /health", "health", "path");
        require(!health.versionKey().isBlank(), "the name of a field", "health", "version-key");
        requireDuration(health.interval(), "health", "interval");
        require(health.maxAttempts() >= 1, "at least 1", "health", "max-attempts");
        requireDuration(health.timeout(), "health", "timeout");
        GroupRolloutProperties.Http http = properties.http();
        requireDuration(http.timeout(), "http", "timeout");
        require(http.parallel() >= 1, "at least 1", "http", "parallel");
        require(http.retries() >= 0 && http.retries() <= 100, "from 0 to 100", "http", "retries");
        requireDuration(http.retryWait(), LONGEST_RETRY_WAIT, "5 minutes", "http", "retry-wait");
        if (http.stageTimeout() != null) {
            requireDuration(http.stageTimeout(), "http", "stage-timeout");
        }
        http.header().forEach(this::requireHeader);
    }

    /** Whoever makes a call looks at its headers. The refusal doesn't show the value, which may be secret. */
    private void requireHeader(String name, String value) {
        try {
            new HttpTransport.Call("GET", URI.create("http://localhost"), Map.of(name, value), "");
        } catch (IllegalArgumentException e) {
            InvalidSettingException refusal = refusal(
                    "can't be used: " + e.getMessage(),
                    "a header that can be sent",
                    "http",
                    "header",
                    name.toLowerCase(Locale.ROOT));
            throw new InvalidSettingException(
                    String.valueOf(refusal.getMessage()),
                    refusal.property(),
                    null,
                    refusal.origin(),
                    refusal.allowed(),
                    null);
        }
    }

    private void requireDuration(Duration value, String... elements) {
        requireDuration(value, LONGEST, "365 days", elements);
    }

    private void requireDuration(Duration value, Duration longest, String named, String... elements) {
        require(value.isPositive() && value.compareTo(longest) <= 0, "more than zero, up to " + named, elements);
    }

    private static boolean isName(String text) {
        return !text.isBlank() && text.length() <= 100 && text.chars().noneMatch(Character::isISOControl);
    }

    /** {@return under which name the database has the rollouts of this application} */
    String application(Environment environment) {
        String name = properties.application();
        if (name == null) {
            String ofSpring = environment.getProperty("spring.application.name", "");
            name = ofSpring.isBlank() ? "default" : ofSpring;
        }
        return name;
    }

    /** A store that the application has made has the name that it was made with. */
    void requireApplication(String ofStore) {
        String application = properties.application();
        if (application != null && !application.equals(ofStore)) {
            throw refusal(
                    "isn't in force: the RolloutStore bean has the rollouts of '" + ofStore + "'",
                    "the name that the bean has by JdbcRolloutStore.withApplication(name); or not set",
                    "application");
        }
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
        if (properties.node() != null) {
            builder.node(properties.node());
        }
        if (properties.retention() != null) {
            builder.retention(properties.retention());
        }
        GroupRolloutProperties.Health health = properties.health();
        GroupRolloutProperties.Http http = properties.http();
        builder.maxConcurrency(properties.tenantsAtOnce())
                .conflict(properties.conflict())
                .shutdownGrace(properties.shutdownGrace())
                .waitForStages(properties.waitForStages())
                .giveUpEventsAfter(properties.events().giveUpAfter())
                .setting("health.path", health.path())
                .setting("health.version-key", health.versionKey())
                .setting("health.interval", health.interval().toString())
                .setting("health.max-attempts", Integer.toString(health.maxAttempts()))
                .setting("health.timeout", health.timeout().toString())
                .setting("http.timeout", http.timeout().toString())
                .setting("http.parallel", Integer.toString(http.parallel()))
                .setting("http.retries", Integer.toString(http.retries()))
                .setting("http.retry-wait", http.retryWait().toString())
                .setting("http.fetch-previous", Boolean.toString(http.fetchPrevious()));
        http.header().forEach((name, value) -> builder.setting("http.header." + name, value));
        if (http.stageTimeout() != null) {
            builder.setting("http.stage-timeout", http.stageTimeout().toString());
        }
    }
}
