package io.github.kobe.spring.jfr;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells the Flight Recorder of work, while a recording asks for at least one of the events; else a look at four flags is
 * all that a piece of work costs.
 */
public final class FlightRecorderTracer implements TaskTracer {

    /** Makes a tracer. */
    public FlightRecorderTracer() {}

    @Override
    public @Nullable TaskTrace trace(String groupKey, String taskId) {
        // Events that go nowhere: the compiler leaves them out.
        return new QueuedEvent().isEnabled()
                        || new StartedEvent().isEnabled()
                        || new CompletedEvent().isEnabled()
                        || new RejectedEvent().isEnabled()
                ? new Recorded(groupKey, taskId)
                : null;
    }

    /** Told of its events one after the other, never at the same time. */
    private static final class Recorded implements TaskTrace {
        private final String groupKey;
        private final String taskId;
        private final QueuedEvent wait = new QueuedEvent();
        private @Nullable CompletedEvent run;

        Recorded(String groupKey, String taskId) {
            this.groupKey = groupKey;
            this.taskId = taskId;
            wait.begin();
        }

        @Override
        public void onStarted(long queuedNanos) {
            if (queuedNanos > 0) {
                commit(wait);
            }
            StartedEvent started = new StartedEvent();
            started.queuedFor = queuedNanos;
            commit(started);
            CompletedEvent begun = new CompletedEvent();
            begun.begin();
            run = begun;
        }

        @Override
        public void onRejected(RejectionReason reason) {
            if (reason == RejectionReason.QUEUE_TIMEOUT || reason == RejectionReason.SHUTDOWN) {
                commit(wait);
            }
            RejectedEvent rejected = new RejectedEvent();
            rejected.reason = reason.name().toLowerCase(Locale.ROOT);
            commit(rejected);
        }

        @Override
        public void onCompleted(GroupResult<?> result) {
            CompletedEvent completed = run;
            if (completed == null) {
                if (result.status() == TaskStatus.CANCELLED) {
                    commit(wait);
                }
                completed = new CompletedEvent();
            }
            completed.outcome = result.status().name().toLowerCase(Locale.ROOT);
            if (result.status() == TaskStatus.FAILED && result.error() != null) {
                completed.exception = result.error().getClass().getName();
            }
            commit(completed);
        }

        private void commit(GroupTaskEvent event) {
            event.groupKey = groupKey;
            event.taskId = taskId;
            event.commit();
        }
    }
}
