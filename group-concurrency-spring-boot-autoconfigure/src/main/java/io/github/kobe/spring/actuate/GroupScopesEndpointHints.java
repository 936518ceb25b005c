package io.github.kobe.spring.actuate;

import io.github.kobe.spring.internal.endpoint.EndpointProblem;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Lets native and ahead-of-time compiled applications serialise the endpoint's answers. */
final class GroupScopesEndpointHints implements RuntimeHintsRegistrar {

    /** Makes a registrar. */
    public GroupScopesEndpointHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(hints.reflection(), GroupScopesReport.class, EndpointProblem.class);
    }
}
