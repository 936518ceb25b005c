package io.github.kobe.spring.observation;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Prevents meters from being made of our observations, because the meters of groups show the same. Of the handlers that
 * make meters, Spring Boot calls only the first one that supports a context.
 */
final class NoTaskMeters implements MeterObservationHandler<GroupTaskObservationContext> {

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof GroupTaskObservationContext;
    }
}
