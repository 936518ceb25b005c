package io.github.kobe.internal.work;

import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Shown;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A permit that shares what a thread is inside of, or another permit. */
public final class Share extends Shown implements OpenablePermit {

    private static final int CLOSED = 1 << 31;

    private final Hold real;

    /** How many use it, the one who has yet to close it among them; with {@link #CLOSED} once that is done. */
    private final AtomicInteger uses = new AtomicInteger(1);

    private Share(Hold real) {
        this.real = real;
    }

    /**
     * Makes one, which keeps {@code real} out until nobody uses it.
     *
     * @param real is kept out meanwhile; by its thread, if that hasn't closed it
     */
    public static Share of(Hold real) {
        Share made = new Share(real);
        real.outlive();
        if (!real.tryKeep()) {
            throw new AssertionError("nobody keeps what is to be shared");
        }
        if (!(real instanceof Permit)) { // which is seen by itself
            try {
                real.group.unbound.add(made);
            } catch (OutOfMemoryError oom) {
                // Then nobody sees it.
            }
        }
        return made;
    }

    @Override
    public Hold hold() {
        return real;
    }

    @Override
    public String id() {
        return "";
    }

    @Override
    public boolean keep() {
        int u = uses.get();
        while (u >= 0 && !uses.compareAndSet(u, u + 1)) {
            u = uses.get();
        }
        return u >= 0;
    }

    @Override
    public void release() {
        if ((uses.decrementAndGet() & ~CLOSED) == 0) {
            real.group.unbound.remove(this);
            Work.of(real.group).releases.endKeep(real);
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
            release();
        }
    }

    @Override
    public void closeExceptionally(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        close();
    }
}
