package io.github.kobe.internal.doors;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import java.util.ArrayList;
import java.util.List;

/** In Lincheck's scenarios: the tasks that each thread has submitted. A thread knows of its own alone. */
final class Submitted {

    private final List<List<TaskHandle<?>>> byThread = new ArrayList<>();

    Submitted() {
        for (int i = 0; i < FakeThreads.ACTORS; i++) {
            byThread.add(new ArrayList<>());
        }
    }

    /** The id of the task that {@code thread} is about to submit. */
    String nextId(int thread) {
        return thread + "." + byThread.get(thread).size();
    }

    void add(int thread, TaskHandle<?> handle) {
        byThread.get(thread).add(handle);
    }

    /** The newest of {@code thread}; null: it has none. */
    TaskHandle<?> last(int thread) {
        List<TaskHandle<?>> own = byThread.get(thread);
        return own.isEmpty() ? null : own.getLast();
    }

    void cancelLast(int thread) {
        TaskHandle<?> last = last(thread);
        if (last != null) {
            last.cancel(true);
        }
    }

    void cancelFirst(int thread) {
        if (!byThread.get(thread).isEmpty()) {
            byThread.get(thread).getFirst().cancel(true);
        }
    }

    /** What became of the newest of {@code thread}, which it hasn't started: it may have been ended since. */
    String admission(int thread) {
        TaskHandle<?> handle = last(thread);
        try {
            return handle.isDone() && handle.join().status() == TaskStatus.FAILED ? "failed" : "queued";
        } catch (RejectedTaskException rejected) {
            return rejected.reason() == RejectionReason.GROUP_QUEUE_FULL ? "rejected" : "queued";
        }
    }

    List<TaskHandle<?>> all() {
        List<TaskHandle<?>> all = new ArrayList<>();
        byThread.forEach(all::addAll);
        return all;
    }
}
