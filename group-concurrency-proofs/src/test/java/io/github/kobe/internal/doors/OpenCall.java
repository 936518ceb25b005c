package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A call that is entered and left in two operations, since one that waits can't be one. */
final class OpenCall implements AutoCloseable {

    private final Engine engine;

    /** {@code null}: it is inside another one of its group. */
    private final @Nullable Hold hold;

    private OpenCall(Engine engine, @Nullable Hold hold) {
        this.engine = engine;
        this.hold = hold;
    }

    /** Has the current thread enter a group, if it need not wait; {@return the call, or {@code null}} */
    static @Nullable OpenCall tryEnter(GroupExecutor executor, String key) {
        Engine engine = EngineAccess.engine(executor);
        Thread thread = Thread.currentThread();
        Hold open = engine.holds.topOpen(thread);
        if (Holds.isInside(engine.group(key), open)) {
            return new OpenCall(engine, null);
        }
        try {
            return new OpenCall(
                    engine, engine.callers.enterCall(key, "", Duration.ZERO, null, null, false, null, open, thread));
        } catch (RejectedTaskException full) {
            return null;
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public void close() {
        if (hold != null) {
            Thread inside = Objects.requireNonNull(hold.thread); // as which another one may act at the end
            engine.callers.endCall(hold, TaskStatus.SUCCESS, SafeRecorder.UNTIMED, inside);
        }
    }
}
