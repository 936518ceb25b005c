package io.github.kobe.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names observations of work in groups, and their key values; a bean of this type replaces
 * {@link DefaultGroupTaskObservationConvention}.
 */
public interface GroupTaskObservationConvention extends ObservationConvention<GroupTaskObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof GroupTaskObservationContext;
    }
}
