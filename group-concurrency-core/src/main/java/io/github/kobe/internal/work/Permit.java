package io.github.kobe.internal.work;

import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Charge;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Particulars;
import io.github.kobe.internal.permits.Request;
import io.github.kobe.internal.permits.SharedGlobal;
import io.github.kobe.internal.permits.Shown;
import io.github.kobe.internal.permits.UnboundPermits;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A hold that is handed out, and belongs to no thread. It is returned after it was closed, once nobody uses it. */
public class Permit extends Hold implements OpenablePermit {

    /** How what was done under it ended, if not well; written before it is closed. */
    private volatile @Nullable TaskStatus status;

    /** As its group has it among the {@link UnboundPermits}, if it does; set before it is handed out. */
    private UnboundPermits.@Nullable Entry entry;

    /** What its start was charged of the group's rates; set before it is handed out. */
    private @Nullable Charge charge;

    Permit(Group group) {
        super(group);
    }

    /** {@return what is to become a permit, once it is granted} */
    public static Permit of(Group group, String id, @Nullable TaskTrace trace) {
        if (group.engine.reports.isObserved(trace)) {
            return new Reported(group, id, trace);
        }
        return group.record.isTimed() ? new Timed(group) : new Permit(group);
    }

    /**
     * Makes the permit that {@code node} was granted; it is nobody's.
     *
     * @param taken when that was taken, by the engine's clock; 0: no clock was read
     * @param joined the global permit that it shares, if it does
     * @param charge what its start was charged
     */
    static Permit granted(
            Request node,
            long taken,
            @Nullable SharedGlobal joined,
            @Nullable Charge charge,
            String id,
            @Nullable TaskTrace trace) {
        Group group = node.group;
        Permit permit = of(group, id, trace);
        permit.charged(charge);
        if (joined != null) {
            permit.joined(joined);
        }
        if (node.hasOpenWait()) {
            group.record.started(node, group.engine);
        }
        if (group.engine.reports.isObserved(trace)) {
            group.engine.reports.started(group.key, id, node.waitedNanos(group.engine.now()), trace);
        }
        permit.takenAt(taken);
        permit.begin();
        permit.register(id);
        return permit;
    }

    @Override
    public final @Nullable Charge charge() {
        return charge;
    }

    @Override
    public final void charged(@Nullable Charge taken) {
        charge = taken;
    }

    @Override
    public final Hold hold() {
        return this;
    }

    @Override
    public final boolean keep() {
        return !isClosed() && tryKeep();
    }

    @Override
    public final void release() {
        Work.of(group).releases.endKeep(this);
    }

    /** Has it be seen, under that id; before it is handed out. */
    public final void register(String id) {
        try {
            Registered made = new Registered(this, id);
            entry = made;
            group.unbound.add(made);
        } catch (OutOfMemoryError oom) {
            // Then nobody sees it.
        }
    }

    /** As the group shows it. */
    private static final class Registered extends Shown {
        private final Permit permit;
        private final String id;

        private Registered(Permit permit, String id) {
            this.permit = permit;
            this.id = id;
        }

        @Override
        public Hold hold() {
            return permit;
        }

        @Override
        public String id() {
            return id;
        }
    }

    @Override
    public final void ending() {
        group.counters.ended(status());
        UnboundPermits.Entry known = entry;
        if (known != null) {
            group.unbound.remove(known);
        }
    }

    @Override
    public final void close() {
        StackReserve.requireToGiveBack();
        int before = closeOwn();
        if (!wasClosed(before) && wasLast(before)) {
            Work.of(group).releases.end(this, before, 0);
        }
    }

    @Override
    public final void closeExceptionally(Throwable failure) {
        TaskStatus as = Counters.statusAfter(Objects.requireNonNull(failure, "failure"));
        if (!isClosed()) {
            remember(failure);
            status = as;
        }
        close();
    }

    /** Gives back what nobody has got, since the wait for it was given up: it counts as cancelled. It needs no memory. */
    final void closeUnused() {
        status = TaskStatus.CANCELLED;
        close();
    }

    /** {@return how what was done under it ended, once nobody keeps it any more} */
    final TaskStatus status() {
        TaskStatus s = status;
        return s == null ? TaskStatus.SUCCESS : s;
    }

    /** What was done under it fails; told before that is known, if anyone hears of it. */
    void remember(Throwable failure) {}

    /** Its time begins now, if that matters and it hasn't yet; before it is handed out. */
    public void begin() {}

    @Override
    public void ended() {
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
        public void beginAt(long now) {
            start = group.engine.nanoTimeAt(now);
        }

        @Override
        public final void begin() {
            if (start == 0) {
                start = group.engine.nanoTime();
            }
        }

        @Override
        public final Particulars particulars(Group of) {
            long begun = start;
            return begun == 0 ? Particulars.NONE : new Particulars("", group.engine.sinceOrigin(begun));
        }

        @Override
        public final void ended() {
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
        public void beginAt(long now) {
            // Not before the listener has heard of it.
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
