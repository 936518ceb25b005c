package io.github.kobe.scope;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The clean-ups that were deferred in a scope, which its owner runs when it closes. */
@SuppressWarnings("ReferenceEquality") // a throwable must not suppress itself
final class CleanUps {

    private record Deferred(Runnable cleanUp, @Nullable Deferred before) {}

    /** Takes the place of all: nothing is deferred any more. */
    private static final Deferred CLOSED = new Deferred(() -> {}, null);

    /** The last of those that weren't run. */
    private final AtomicReference<@Nullable Deferred> last = new AtomicReference<>();

    private boolean interrupted;

    /** {@return false if the scope is closed} */
    boolean add(Runnable cleanUp) {
        Deferred before;
        do {
            before = last.get();
            if (before == CLOSED) {
                return false;
            }
        } while (!last.compareAndSet(before, new Deferred(cleanUp, before)));
        return true;
    }

    /**
     * Runs all, the last first, with the interrupt flag clear.
     *
     * @param failure what the close throws anyway
     * @return what it throws, with what these threw
     */
    @Nullable
    Throwable run(@Nullable Throwable failure) {
        Throwable thrown = failure;
        for (Deferred next = last.getAndSet(CLOSED); next != null; next = next.before) {
            interrupted |= Thread.interrupted();
            try {
                next.cleanUp.run();
            } catch (Throwable more) {
                if (thrown == null) {
                    thrown = more;
                } else if (thrown != more) {
                    thrown.addSuppressed(more);
                }
            }
        }
        return thrown;
    }

    /** {@return whether the flag was cleared} */
    boolean wasInterrupted() {
        return interrupted;
    }
}
