package io.github.kobe.spring.scope;

import io.github.kobe.scope.Configuration;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import java.time.Duration;
import org.springframework.context.annotation.Lazy;

/**
 * How long scopes may take that don't set their own time-out. Never lazy: a bad setting should fail the start-up, even if
 * nothing opens a scope.
 */
@Lazy(false)
final class DefaultTimeout {

    private final Duration timeout;

    /**
     * Takes the setting.
     *
     * @param properties its value
     * @param settings where it came from
     * @throws InvalidSettingException if it is out of its range
     */
    DefaultTimeout(GroupScopeProperties properties, BoundSettings settings) {
        timeout = properties.defaultTimeout();
        if (timeout.isNegative()) {
            throw settings.refusal(
                    "must be zero or more", "zero or more; 0s means no time-out", null, "scope", "default-timeout");
        }
    }

    Configuration in(Configuration defaults) {
        return timeout.isZero() ? defaults.withoutTimeout() : defaults.withTimeout(timeout);
    }
}
