package io.github.kobe;

/** A task that something follows; a class of its own, so that others needn't keep room for it. */
final class TracedTask<T> extends Task<T> {

    private final TaskTrace trace;

    TracedTask(Group group, String id, Object queuedWork, TaskTrace trace) {
        super(group, id, queuedWork);
        this.trace = trace;
    }

    @Override
    TaskTrace trace() {
        return trace;
    }
}
