package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.RateSetting;
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
        hints.reflection()
                .registerMethod(
                        ClassUtils.getMethod(RateSetting.class, "valueOf", String.class), ExecutableMode.INVOKE);
    }
}
