package io.github.kobe.spring.observation;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes the work of one executor. An observation begins when work is submitted, as a child of the submitter's
 * observation. It is current while the work's code runs, and stops when the permits are back.
 *
 * <p>Executor and registry are looked up at the first work, since both may need this tracer when they are made.
 */
final class GroupTaskObservations implements TaskTracer {

    private static final GroupTaskObservationConvention DEFAULT = new DefaultGroupTaskObservationConvention();
    private static final String NO_RULE = "_default";

    private final String executorName;
    private final Supplier<GroupExecutor> executor;
    private final Supplier<ObservationRegistry> registry;
    private final @Nullable GroupTaskObservationConvention convention;
    private final boolean needsParent;
    private final boolean groupKeyShown;

    /**
     * Makes the observations of one executor.
     *
     * @param executorName the value of the key "executor"
     * @param executor the executor that this is a tracer of
     * @param registry where observations go; as long as nobody listens to it, there are none
     * @param convention names them; {@code null}: the default one does
     * @param needsParent whether there is an observation only where the submitter has one
     * @param groupKeyShown whether the group's key may be seen
     */
    GroupTaskObservations(
            String executorName,
            Supplier<GroupExecutor> executor,
            Supplier<ObservationRegistry> registry,
            @Nullable GroupTaskObservationConvention convention,
            boolean needsParent,
            boolean groupKeyShown) {
        this.executorName = executorName;
        this.executor = executor;
        this.registry = registry;
        this.convention = convention;
        this.needsParent = needsParent;
        this.groupKeyShown = groupKeyShown;
    }

    @Override
    public @Nullable TaskTrace trace(String groupKey, String taskId) {
        ObservationRegistry target = registry.get();
        if (target.isNoop()) {
            return null;
        }
        ReactorObservation subscription = ReactorObservation.current();
        Observation parent = subscription == null ? null : subscription.parent();
        if (parent == null) {
            parent = target.getCurrentObservation();
        }
        if (parent == null && needsParent) {
            return null;
        }
        String tag = executor.get().policy().explain(groupKey).rule().orElse(NO_RULE);
        GroupTaskObservationContext context =
                new GroupTaskObservationContext(executorName, tag, groupKey, taskId, groupKeyShown);
        Observation observation =
                GroupTaskObservationDocumentation.TASK.observation(convention, DEFAULT, () -> context, target);
        if (observation.isNoop()) {
            return null;
        }
        observation.parentObservation(parent).start();
        if (subscription != null) {
            subscription.begun(observation);
        }
        return new Observed(observation, context);
    }

    private static final class Observed implements TaskTrace {
        private final Observation observation;
        private final GroupTaskObservationContext context;

        Observed(Observation observation, GroupTaskObservationContext context) {
            this.observation = observation;
            this.context = context;
        }

        @Override
        public <T> Callable<T> around(Callable<T> task) {
            return () -> {
                if (context.outcome() != null) {
                    // Rejected, and run all the same by who submitted it: the observation is over.
                    return task.call();
                }
                Observation.Scope scope = observation.openScope();
                try {
                    return task.call();
                } finally {
                    scope.close();
                }
            };
        }

        @Override
        public void onRejected(RejectionReason reason) {
            end(TaskStatus.REJECTED);
        }

        @Override
        public void onCompleted(GroupResult<?> result) {
            Throwable error = result.error();
            if (result.status() == TaskStatus.FAILED && error != null) {
                observation.error(error);
            }
            end(result.status());
        }

        private void end(TaskStatus outcome) {
            context.end(outcome);
            observation.stop();
        }
    }
}
