package io.github.kobe.spring.scope;

import io.github.kobe.GroupLimits;
import io.github.kobe.scope.ScopeSettings;
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
        if (!timeout.isPositive()) {
            throw settings.refusal(
                    "must be more than zero", "more than zero, or \"unlimited\"", null, "scope", "default-timeout");
        }
    }

    ScopeSettings in(ScopeSettings defaults) {
        return timeout.equals(GroupLimits.NO_TIMEOUT) ? defaults.withoutTimeout() : defaults.withTimeout(timeout);
    }
}
