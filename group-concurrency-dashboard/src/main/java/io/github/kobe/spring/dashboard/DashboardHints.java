package io.github.kobe.spring.dashboard;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Includes the page in native images. */
final class DashboardHints implements RuntimeHintsRegistrar {

    /** Makes a registrar. */
    public DashboardHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/github/kobe/spring/dashboard/page/*");
    }
}
