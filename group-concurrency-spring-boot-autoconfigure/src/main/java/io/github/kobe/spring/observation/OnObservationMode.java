package io.github.kobe.spring.observation;

import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Matches if work should always be observed, or there is a tracer. */
final class OnObservationMode extends AnyNestedCondition {

    private static final String MODE = GroupConcurrencyProperties.PREFIX + ".observations.mode";

    OnObservationMode() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    /** Whoever listens. */
    @ConditionalOnProperty(name = MODE, havingValue = "always")
    static final class Always {}

    /** Where spans are made. */
    @ConditionalOnProperty(name = MODE, havingValue = "tracing", matchIfMissing = true)
    @ConditionalOnBean(type = "io.micrometer.tracing.Tracer")
    static final class Tracing {}
}
