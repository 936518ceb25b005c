package io.github.kobe.internal.doors;

import io.github.kobe.Costs;
import io.github.kobe.GroupPermit;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.SharedGlobal;
import io.github.kobe.internal.work.Inside;
import io.github.kobe.internal.work.OpenablePermit;
import io.github.kobe.internal.work.Opener;
import io.github.kobe.internal.work.Settlement;
import io.github.kobe.internal.work.Share;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/** Work under a permit that was handed out: by a thread that goes inside it, or by permits that share its global one. */
public final class UnderPermit implements Opener {

    private final Engine engine;

    UnderPermit(Engine engine) {
        this.engine = engine;
    }

    @Override
    public <T> T callInside(OpenablePermit kept, Callable<T> task) throws Exception {
        Inside inside = enter(kept);
        try {
            return task.call();
        } finally {
            engine.releases.close(inside, 0);
        }
    }

    /** Has the current thread be inside of {@code kept}; releases that if it fails. */
    private Inside enter(OpenablePermit kept) throws InterruptedException {
        Thread thread = Thread.currentThread();
        Inside inside = null;
        boolean entered = false;
        try {
            SharedGlobal shared = kept.hold().share();
            inside = new Inside(kept, shared);
            engine.holds.push(inside, thread);
            while (!shared.tryJoin(SharedGlobal.BOUND)) {
                shared.awaitReturned();
            }
            entered = true;
            return inside;
        } finally {
            if (!entered) {
                if (inside != null && inside.thread != null) {
                    int unused = inside.closeForThread();
                    engine.holds.prune(thread);
                }
                kept.release();
            }
        }
    }

    @Override
    public CompletionStage<GroupPermit> acquireAsync(
            OpenablePermit kept, String key, String id, Duration maxWait, Costs costs) {
        try {
            if (kept.groupKey().equals(key)) {
                return CompletableFuture.completedStage(Share.of(kept.hold()));
            }
            engine.requireAdmitsFromInside();
            return engine.asyncPermits.ask(
                    key,
                    id,
                    EffectiveLimits.saturatedNanos(maxWait),
                    kept.hold().share(),
                    costs);
        } finally {
            kept.release();
        }
    }

    /** Says what the innermost work has used that the current thread is inside of. */
    public void settle(String rate, long used) {
        StackReserve.require();
        Hold open = engine.holds.topOpen(Thread.currentThread());
        if (open == null) {
            throw new IllegalStateException("The current thread is inside no work that has used anything of '"
                    + KeyText.printable(Objects.requireNonNull(rate, "rate")) + "'");
        }
        Settlement.settle(open.real(), rate, used);
    }

    /** {@return a permit that shares what the current thread is inside of; empty: it is inside of nothing that is open} */
    public Optional<GroupPermit> enclosing(String key) {
        StackReserve.require();
        Thread thread = Thread.currentThread();
        if (engine.holds.parked(thread) != null) {
            return Optional.empty();
        }
        Optional<GroupPermit> found = enclosing(thread, hold -> hold.group.key.equals(key));
        if (found.isEmpty()) {
            found = enclosing(thread, Inside.class::isInstance);
        }
        return found.isPresent() ? found : enclosing(thread, hold -> true);
    }

    private Optional<GroupPermit> enclosing(Thread thread, Predicate<Hold> wanted) {
        for (Hold h = engine.holds.topOpen(thread); h != null; h = Holds.open(h.below)) {
            Optional<GroupPermit> shares = wanted.test(h) ? share(h) : Optional.empty();
            if (shares.isPresent()) {
                return shares;
            }
        }
        return Optional.empty();
    }

    /** {@return a permit that shares what a thread is inside of by {@code hold}; empty: that is closed} */
    private static Optional<GroupPermit> share(Hold hold) {
        if (!(hold instanceof Inside inside)) {
            return present(hold);
        }
        if (!inside.entered.keep()) {
            return Optional.empty();
        }
        try {
            return present(inside.real());
        } finally {
            inside.entered.release();
        }
    }

    private static Optional<GroupPermit> present(Hold real) {
        Share share = Share.of(real);
        try {
            return Optional.of(share);
        } catch (OutOfMemoryError oom) {
            share.close();
            throw oom;
        }
    }
}
