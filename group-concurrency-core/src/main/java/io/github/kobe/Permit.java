package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A hold that is handed out, and given back by whoever closes it, once nobody uses it.
 *
 * <p>It is open for its thread as a hold is. Apart from that it is kept: by all that together, until it is closed for its
 * thread, and by each that does something under it. So its own thread is outside as soon as it has closed it.
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

    /** How many keep it out. Zero is final. */
    private volatile int keeps;

    /** As its group has it among the {@link UnboundPermits}, if it does; set once, by one that keeps it. */
    private volatile UnboundPermits.@Nullable Entry entry;

    Permit(Group group) {
        super(group);
        KEEPS.set(this, 1);
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
        while (k != 0) {
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
        return (int) KEEPS.getAndAdd(this, -1) == 1;
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
            UnboundPermits.Entry made = new UnboundPermits.Entry(this, id);
            if (ENTRY.compareAndSet(this, null, made)) {
                group.unbound.add(made);
            }
        } catch (OutOfMemoryError lack) {
            // Then nobody sees it.
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
    public final void close() {
        group.engine.callers.close(this);
    }

    /** Its time begins now, if that matters; before it is handed out. */
    void begin() {}

    /** Tells of its end; its permits are back. */
    void reportEnd() {
        group.recordEnd(TaskStatus.SUCCESS, SafeRecorder.UNTIMED);
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
            group.recordEnd(TaskStatus.SUCCESS, end - start);
            reportEnd(start, end);
        }

        /** Tells others than the recorder. */
        void reportEnd(long begun, long ended) {}
    }

    /** A permit whose life is reported to the listener. */
    static final class Reported extends Timed {
        private final String id;
        private final @Nullable TaskTrace trace;

        Reported(Group group, String id, @Nullable TaskTrace trace) {
            super(group);
            this.id = id;
            this.trace = trace;
        }

        @Override
        void reportEnd(long begun, long ended) {
            group.engine.reports.ended(group.key, id, null, null, begun, ended, trace);
        }
    }
}
