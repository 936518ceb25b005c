package io.github.kobe.internal;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A permit of a thread that is already inside the group: it shares the existing one. */
final class Reentry implements OpenablePermit {

    private static final int CLOSED = 1 << 31;

    private final Hold hold;

    /** What it keeps; {@code null}: it has opened the hold once more. */
    private final @Nullable OpenablePermit kept;

    /** How many use it, the one who has yet to close it among them; with {@link #CLOSED} once that is done. */
    private final AtomicInteger uses = new AtomicInteger(1);

    Reentry(Hold hold, @Nullable OpenablePermit kept) {
        this.hold = hold;
        this.kept = kept;
    }

    @Override
    public Hold hold() {
        return hold;
    }

    @Override
    public boolean isBound() {
        return kept == null;
    }

    /** Whether it keeps the hold out by itself; else what it shares does. */
    private boolean keepsByItself() {
        return !(hold instanceof Permit);
    }

    @Override
    public boolean keep() {
        int u = uses.get();
        while (u >= 0 && !uses.compareAndSet(u, u + 1)) {
            u = uses.get();
        }
        if (u < 0 || keepsByItself()) {
            return u >= 0;
        }
        try {
            return ((Permit) hold).keepShared(); // its own thread may be outside before this ends
        } finally {
            endUse();
        }
    }

    @Override
    public void release() {
        if (keepsByItself()) {
            endUse();
        } else {
            ((Permit) hold).release();
        }
    }

    private void endUse() {
        if ((uses.decrementAndGet() & ~CLOSED) != 0) {
            return;
        }
        if (kept != null) {
            kept.release();
        } else {
            hold.group.engine.releases.closeOnce(hold, 0);
        }
    }

    @Override
    public void close() {
        StackReserve.requireToGiveBack();
        int u = uses.get();
        while (u >= 0 && !uses.compareAndSet(u, u | CLOSED)) {
            u = uses.get();
        }
        if (u >= 0) {
            endUse();
        }
    }

    @Override
    public void closeExceptionally(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        close();
    }
}
