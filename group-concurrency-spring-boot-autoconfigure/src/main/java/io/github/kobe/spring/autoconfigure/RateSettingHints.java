package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.RateSetting;
import io.github.kobe.spring.internal.settings.NamedRateSetting;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/** Lets native applications read a rate that is one text: Spring looks for the method that does it by its name. */
final class RateSettingHints implements RuntimeHintsRegistrar {

    /** Makes a registrar. */
    public RateSettingHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        for (Class<?> rate : new Class<?>[] {RateSetting.class, NamedRateSetting.class}) {
            hints.reflection()
                    .registerMethod(ClassUtils.getMethod(rate, "valueOf", String.class), ExecutableMode.INVOKE);
        }
    }
}
