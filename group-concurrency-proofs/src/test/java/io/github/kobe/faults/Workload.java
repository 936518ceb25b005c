package io.github.kobe.faults;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * Takes an audited executor along {@link Ways}. It tolerates whatever comes of the work, since what it is for is faults;
 * but nothing may hang, and each handle has to end.
 */
final class Workload extends Site {

    private final Engines engines;
    private final Consumer<TaskHandle<?>> onSubmitted;

    Workload(Engines engines, GroupExecutor executor) {
        this(engines, executor, "", () -> "done", handle -> {});
    }

    /**
     * A workload whose keys and ids begin with a prefix, and whose work is {@code code}; each handle is shown to
     * {@code onSubmitted}.
     */
    Workload(
            Engines engines,
            GroupExecutor executor,
            String prefix,
            Callable<String> code,
            Consumer<TaskHandle<?>> onSubmitted) {
        super(executor, prefix, code);
        this.engines = engines;
        this.onSubmitted = onSubmitted;
    }

    /** What the ways want of a policy: limits that make them wait. */
    static GroupPolicy.Builder policy() {
        return Ways.policy().globalMaxInFlight(2).rejectionPolicy(RejectionPolicy.DISCARD);
    }

    @Override
    protected <T> T keep(T letIn) {
        if (letIn instanceof TaskHandle<?> handle) {
            engines.watch(executor, handle);
            onSubmitted.accept(handle);
        }
        return super.keep(letIn);
    }

    @Override
    protected <T> T waiting(String name, Callable<T> wait) throws Exception {
        return engines.witness(executor).waiting(key(name), wait);
    }

    /** Takes one way, on a virtual thread, to the end of all its work; {@return how the callers ended} */
    List<Caller<?>> take(Way way) throws Exception {
        Deadline.within(() -> {
            way.take(this);
            return null;
        });
        return end();
    }

    /** Takes all ways after which the executor goes on. */
    void takeAll() throws Exception {
        for (Ways way : Ways.values()) {
            if (!way.is(Ways.Trait.LAST)) {
                take(way);
            }
        }
    }

    /** Shows that the executor works: a task of each group that the ways use runs. */
    static void requireWorking(GroupExecutor executor) throws Exception {
        for (String key : List.of("a", "b", "c")) {
            TaskHandle<String> handle = executor.submit(key, "after", () -> "works");
            Deadline.until("a task runs after the fault", handle::isDone);
            if (!"works".equals(handle.await().value())) {
                throw new AssertionError("after the fault: " + handle.await());
            }
        }
        requireRoom(executor);
    }
}
