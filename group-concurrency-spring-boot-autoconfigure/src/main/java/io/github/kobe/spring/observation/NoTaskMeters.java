package io.github.kobe.spring.observation;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Keeps meters from being made of our observations: the meters of groups tell the same. Of the handlers that make meters
 * Spring Boot asks the first one only that supports a context.
 */
final class NoTaskMeters implements MeterObservationHandler<GroupTaskObservationContext> {

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof GroupTaskObservationContext;
    }
}
