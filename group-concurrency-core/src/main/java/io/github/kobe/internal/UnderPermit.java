package io.github.kobe.internal;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Work under a permit that was handed out: by a thread that goes inside it, or by work that shares its global one. */
final class UnderPermit {

    private final Engine engine;

    UnderPermit(Engine engine) {
        this.engine = engine;
    }

    /**
     * Runs {@code task} with the current thread inside of a permit.
     *
     * @param kept kept for this
     */
    <T> T callInside(OpenablePermit kept, Callable<T> task) throws Exception {
        Inside inside = enter(kept);
        try {
            return task.call();
        } finally {
            engine.releases.closeOnce(inside, 0);
        }
    }

    /** Has the current thread be inside of {@code kept}; releases that if it fails. */
    private Inside enter(OpenablePermit kept) throws InterruptedException {
        Thread thread = Thread.currentThread();
        Inside inside = null;
        boolean entered = false;
        try {
            SharedGlobal shared = kept.hold().shareKept();
            inside = new Inside(kept, shared);
            engine.holds.push(inside, thread);
            while (!shared.tryJoin(SharedGlobal.BOUND)) {
                engine.lending.awaitReturned(shared);
            }
            entered = true;
            return inside;
        } finally {
            if (!entered) {
                if (inside != null && inside.thread != null) {
                    int unused = inside.closeOnce();
                    engine.holds.prune(thread);
                }
                kept.release();
            }
        }
    }

    /**
     * Asks for a permit of another group that shares the global permit of a permit; in its own group it shares that.
     *
     * @param kept kept for this
     */
    CompletionStage<GroupPermit> acquireAsync(OpenablePermit kept, String key, String id, Duration maxWait) {
        boolean passedOn = false;
        try {
            if (kept.groupKey().equals(key)) {
                CompletionStage<GroupPermit> stage = CompletableFuture.completedStage(share(kept));
                passedOn = true;
                return stage;
            }
            engine.requireAdmitsFromInside();
            return engine.callers.acquireAsync(
                    key,
                    id,
                    EffectiveLimits.saturatedNanos(maxWait),
                    kept.hold().shareKept());
        } finally {
            if (!passedOn) {
                kept.release();
            }
        }
    }

    /** {@return a permit that shares {@code kept}, which was kept for it} */
    private static Reentry share(OpenablePermit kept) {
        Reentry shares = new Reentry(kept.hold(), kept);
        if (kept.hold().real() instanceof Permit permit) {
            permit.register(""); // its thread may close it before
        }
        return shares;
    }

    /** {@return a permit that shares what the current thread is inside of; empty: it is inside of nothing} */
    Optional<GroupPermit> current(String key) {
        StackReserve.require();
        Thread thread = Thread.currentThread();
        if (engine.holds.parked(thread) != null) {
            return Optional.empty();
        }
        Optional<GroupPermit> found = current(thread, hold -> hold.group.key.equals(key));
        if (found.isEmpty()) {
            found = current(thread, Inside.class::isInstance);
        }
        return found.isPresent() ? found : current(thread, hold -> true);
    }

    private Optional<GroupPermit> current(Thread thread, Predicate<Hold> wanted) {
        for (Hold h = engine.holds.topOpen(thread); h != null; h = Holds.open(h.below)) {
            Optional<GroupPermit> shares = wanted.test(h) ? share(h) : Optional.empty();
            if (shares.isPresent()) {
                return shares;
            }
        }
        return Optional.empty();
    }

    /** {@return a permit that shares what a thread is inside of by {@code hold}; empty: that is closed} */
    private Optional<GroupPermit> share(Hold hold) {
        if (!(hold instanceof Inside inside)) {
            return hold.reopen() ? engine.callers.reentry(hold, Callers.PRESENT) : Optional.empty();
        }
        if (!inside.entered.keep()) {
            return Optional.empty();
        }
        try {
            return Optional.of(share(inside.entered));
        } catch (OutOfMemoryError oom) {
            inside.entered.release();
            throw oom;
        }
    }

    /**
     * Submits a task that borrows the global permit of a permit.
     *
     * @param kept kept for this
     */
    <T> TaskHandle<T> submit(OpenablePermit kept, GroupTask<?> task, boolean async) {
        try {
            return engine.admission.submitSharing(task, async, kept.hold().shareKept());
        } finally {
            kept.release();
        }
    }
}
