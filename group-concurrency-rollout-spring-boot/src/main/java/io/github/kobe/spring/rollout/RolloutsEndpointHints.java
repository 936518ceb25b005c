package io.github.kobe.spring.rollout;

import io.github.kobe.spring.internal.endpoint.EndpointProblem;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Lets native and ahead-of-time compiled applications serialise the endpoint's answers. */
final class RolloutsEndpointHints implements RuntimeHintsRegistrar {

    /** Makes a registrar. */
    public RolloutsEndpointHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(
                        hints.reflection(),
                        RolloutsReport.class,
                        RolloutsReport.PlanWithTasks.class,
                        RolloutsReport.Preview.class,
                        RolloutsReport.Operation.class,
                        RolloutEventsReport.class,
                        EndpointProblem.class);
    }
}
