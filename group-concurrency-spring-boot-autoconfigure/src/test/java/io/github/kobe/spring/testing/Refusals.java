package io.github.kobe.spring.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.spring.InvalidSettingException;
import java.util.Objects;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** What an application says that doesn't start for a setting. */
public final class Refusals {

    private Refusals() {}

    /** {@return a look at a context that failed for the value of a setting of ours} */
    public static ContextConsumer<ApplicationContextAssertProvider<?>> refused(
            String setting, String value, String allowed) {
        return context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOfSatisfying(InvalidSettingException.class, refusal -> {
                    assertThat(refusal.property()).isEqualTo("group-concurrency." + setting);
                    assertThat(refusal.value()).isEqualTo(value);
                    assertThat(refusal.allowed()).isEqualTo(allowed);
                });
    }

    /** {@return why a context failed, where what revealed the bad setting is the root cause} */
    public static InvalidSettingException refusalOf(ApplicationContextAssertProvider<?> context) {
        Throwable cause = context.getStartupFailure();
        while (cause != null && !(cause instanceof InvalidSettingException)) {
            cause = cause.getCause();
        }
        return (InvalidSettingException) Objects.requireNonNull(cause, "it started");
    }
}
