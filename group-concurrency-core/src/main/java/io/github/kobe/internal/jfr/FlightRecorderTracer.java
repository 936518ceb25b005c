package io.github.kobe.internal.jfr;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import org.jspecify.annotations.Nullable;

/**
 * Reports work to the Flight Recorder, while a recording asks for at least one of the events. There is one for all
 * executors. Until somebody uses the recorder, a look at it is the reading of a flag of the JDK's, and nothing else of
 * it is loaded.
 */
final class FlightRecorderTracer implements TaskTracer, FlightRecorderListener {

    /** Taken by the first who sees that the recorder is in use. */
    private final ReentrantLock beginning = new ReentrantLock();

    private volatile boolean listening;

    private volatile boolean on;

    /** How often recordings have begun or ended since somebody last looked; 0: nobody is looking. */
    private final AtomicInteger changes = new AtomicInteger();

    @Override
    public boolean isOn() {
        return FlightRecorder.isInitialized() && (listening || listen()) && on;
    }

    private boolean listen() {
        beginning.lock();
        try {
            if (!listening) {
                FlightRecorder.addListener(this);
                listening = true;
            }
        } finally {
            beginning.unlock();
        }
        return true;
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        // So that they can be found before they first happen.
        FlightRecorder.register(QueuedEvent.class);
        FlightRecorder.register(StartedEvent.class);
        FlightRecorder.register(CompletedEvent.class);
        FlightRecorder.register(RejectedEvent.class);
        look();
    }

    @Override
    public void recordingStateChanged(Recording recording) {
        look();
    }

    /** Looks what runs now; one thread at a time does, and once more for each that comes meanwhile. */
    private void look() {
        int seen = changes.incrementAndGet();
        if (seen > 1) {
            return;
        }
        do {
            seen = changes.get();
            on = FlightRecorder.getFlightRecorder().getRecordings().stream()
                    .anyMatch(recording -> recording.getState() == RecordingState.RUNNING);
        } while (changes.addAndGet(-seen) > 0);
    }

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
            // QUEUE_TIMEOUT and RATE_LIMITED are also reasons of what never waited: only the durations tell that.
            switch (reason) {
                case QUEUE_TIMEOUT, RATE_LIMITED, SHUTDOWN -> commit(wait);
                default -> {}
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
