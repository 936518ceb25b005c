package io.github.kobe.spring.observation;

import io.github.kobe.TaskStatus;
import io.github.kobe.spring.internal.settings.PrintableText;
import io.github.kobe.spring.observation.GroupTaskObservationDocumentation.HighCardinality;
import io.github.kobe.spring.observation.GroupTaskObservationDocumentation.LowCardinality;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/** The default names of observations; applications may extend or replace it. */
public class DefaultGroupTaskObservationConvention implements GroupTaskObservationConvention {

    private static final String NAME = "group.executor.task";

    /** For the starter, and for conventions that extend it. */
    public DefaultGroupTaskObservationConvention() {}

    @Override
    public String getName() {
        return NAME;
    }

    @Override
    public String getContextualName(GroupTaskObservationContext context) {
        return "group " + context.groupTag();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(GroupTaskObservationContext context) {
        return KeyValues.of(
                LowCardinality.EXECUTOR.withValue(context.executorName()),
                LowCardinality.GROUP.withValue(context.groupTag()),
                outcome(context));
    }

    private static KeyValue outcome(GroupTaskObservationContext context) {
        TaskStatus outcome = context.outcome();
        return LowCardinality.OUTCOME.withValue(
                outcome == null ? "unknown" : outcome.name().toLowerCase(Locale.ROOT));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(GroupTaskObservationContext context) {
        KeyValues keyValues = KeyValues.empty();
        if (context.isGroupKeyShown()) {
            keyValues = keyValues.and(HighCardinality.GROUP_KEY.withValue(PrintableText.ofKey(context.groupKey())));
        }
        return context.taskId().isEmpty()
                ? keyValues
                : keyValues.and(HighCardinality.TASK_ID.withValue(PrintableText.ofKey(context.taskId())));
    }
}
