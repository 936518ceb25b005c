package io.github.kobe.internal;

import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A hold that is handed out. It is returned after it was closed, once nobody uses it.
 *
 * <p>Like every hold, it is open for its thread. Separately, it counts those that keep it: its thread, as one, until it
 * is closed for that, and each piece of work under it. So its own thread is outside as soon as it has closed it.
 */
class Permit extends Hold implements OpenablePermit {

    private static final VarHandle KEEPS;
    private static final VarHandle ENTRY;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            KEEPS = lookup.findVarHandle(Permit.class, "keeps", int.class);
            ENTRY = lookup.findVarHandle(Permit.class, "entry", UnboundPermits.Entry.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** In {@link #keeps}: what was done under it has failed, or was cancelled. */
    private static final int FAILED = 1 << 29;

    private static final int CANCELLED = 1 << 30;
    private static final int COUNT = FAILED - 1;

    /** How many keep it out, of which zero is final; and how it ended. */
    private volatile int keeps;

    /** As its group has it among the {@link UnboundPermits}, if it does; set once, by one that keeps it. */
    private volatile UnboundPermits.@Nullable Entry entry;

    Permit(Group group) {
        super(group);
        KEEPS.set(this, 1);
    }

    /** {@return what is to become a permit, once it is granted} */
    static Permit of(Group group, String id, @Nullable TaskTrace trace) {
        if (group.engine.reports.isObserved(trace)) {
            return new Reported(group, id, trace);
        }
        return group.record.isTimed() ? new Timed(group) : new Permit(group);
    }

    /**
     * Makes the permit that {@code node} was granted; it is nobody's.
     *
     * @param joined the global permit that it shares, if it does
     */
    static Permit granted(Node node, @Nullable SharedGlobal joined, String id, @Nullable TaskTrace trace) {
        Group group = node.group;
        Permit permit = of(group, id, trace);
        if (joined != null) {
            permit.joined(joined);
        }
        if (node.hasOpenWait()) {
            group.record.started(node);
        }
        if (group.engine.reports.isObserved(trace)) {
            group.engine.reports.started(group.key, id, node.waitedNanos(group.engine.now()), trace);
        }
        permit.begin();
        permit.register(id);
        return permit;
    }

    @Override
    public final Hold hold() {
        return this;
    }

    @Override
    public final boolean keep() {
        return !wasClosedByOwner() && keepShared();
    }

    /** As {@link #keep}, for one that shares it: whoever got it first may have closed it. */
    final boolean keepShared() {
        int k = keeps;
        while ((k & COUNT) != 0) {
            int found = (int) KEEPS.compareAndExchange(this, k, k + 1);
            if (found == k) {
                return true;
            }
            k = found;
        }
        return false;
    }

    /** Takes back one keep; true if that was the last. */
    final boolean endKeep() {
        return ((int) KEEPS.getAndAdd(this, -1) & COUNT) == 1;
    }

    @Override
    public final void release() {
        if (endKeep()) {
            group.engine.releases.giveBackPermit(this, 0);
        }
    }

    /** Has it be seen without a thread, under that id; by one that keeps it. */
    final void register(String id) {
        if (entry != null) {
            return;
        }
        try {
            Registered made = new Registered(this, id);
            if (ENTRY.compareAndSet(this, null, made)) {
                group.unbound.add(made);
            }
        } catch (OutOfMemoryError oom) {
            // Then nobody sees it.
        }
    }

    /** As the group shows it. */
    private static final class Registered extends UnboundPermits.Entry {
        private final Permit permit;
        private final String id;

        private Registered(Permit permit, String id) {
            this.permit = permit;
            this.id = id;
        }

        @Override
        Hold hold() {
            return permit;
        }

        @Override
        String id() {
            return id;
        }
    }

    /** It is out no more; by the last that kept it. */
    final void unregister() {
        UnboundPermits.Entry known = entry;
        if (known != null) {
            group.unbound.remove(known);
        }
    }

    @Override
    final long sharesAs() {
        return SharedGlobal.UNBOUND; // it is unbound before it is given back
    }

    @Override
    public final boolean isBound() {
        return thread != null;
    }

    @Override
    public final void close() {
        StackReserve.requireToGiveBack();
        int before = closeOwn();
        if (!wasClosedByOwner(before) && wasLast(before)) {
            group.engine.releases.lastClose(this, before, 0);
        }
    }

    @Override
    public final void closeExceptionally(Throwable failure) {
        TaskStatus as = Counters.statusAfter(Objects.requireNonNull(failure, "failure"));
        if (!wasClosedByOwner()) {
            remember(failure);
            KEEPS.getAndBitwiseOr(this, as == TaskStatus.CANCELLED ? CANCELLED : FAILED);
        }
        close();
    }

    /** Gives back what nobody has got, since the wait for it was given up: it counts as cancelled. It needs no memory. */
    final void closeUnused() {
        KEEPS.getAndBitwiseOr(this, CANCELLED);
        close();
    }

    /** {@return how what was done under it ended, once nobody keeps it any more} */
    final TaskStatus status() {
        int k = keeps;
        if ((k & FAILED) != 0) {
            return TaskStatus.FAILED;
        }
        return (k & CANCELLED) != 0 ? TaskStatus.CANCELLED : TaskStatus.SUCCESS;
    }

    /** What was done under it fails; told before that is known, if anyone hears of it. */
    void remember(Throwable failure) {}

    /** Its time begins now, if that matters; before it is handed out. */
    void begin() {}

    /** Tells of its end; its permits are back. */
    void reportEnd() {
        group.record.ended(status(), SafeRecorder.UNTIMED);
    }

    /** A permit whose time is taken. */
    static class Timed extends Permit {
        /** Written by the thread that makes the permit, before that is handed out; whoever looks may read it earlier. */
        private long start;

        Timed(Group group) {
            super(group);
        }

        @Override
        final void begin() {
            start = group.engine.nanoTime();
        }

        @Override
        final Particulars particulars(Group of) {
            long begun = start;
            return begun == 0 ? Particulars.NONE : new Particulars("", group.engine.sinceOrigin(begun));
        }

        @Override
        final void reportEnd() {
            long end = group.engine.nanoTime();
            group.record.ended(status(), end - start);
            reportEnd(start, end);
        }

        /** Tells others than the recorder. */
        void reportEnd(long begun, long ended) {}
    }

    /** A permit whose life is reported to the listener. */
    static final class Reported extends Timed {
        private final String id;
        private final @Nullable TaskTrace trace;

        /** Written before the end is known. */
        private @Nullable Throwable failure;

        Reported(Group group, String id, @Nullable TaskTrace trace) {
            super(group);
            this.id = id;
            this.trace = trace;
        }

        @Override
        void remember(Throwable newFailure) {
            failure = newFailure;
        }

        @Override
        void reportEnd(long begun, long ended) {
            if (failure == null && status() == TaskStatus.CANCELLED) {
                group.engine.reports.cancelled(group.key, id, null, trace);
            } else {
                group.engine.reports.ended(group.key, id, null, failure, begun, ended, trace);
            }
        }
    }
}
