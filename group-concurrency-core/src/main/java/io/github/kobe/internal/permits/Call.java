package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Core;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The hold of a call that has an id, or whose time is measured.
 *
 * <p>A platform thread uses the same object for all its calls, and nothing is made for the next call. So its thread
 * increments {@link #turn} before and after a change, and readers compare it before and after they read.
 */
public class Call extends Hold {

    private static final VarHandle TURN;

    static {
        try {
            TURN = MethodHandles.lookup().findVarHandle(Call.class, "turn", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Odd while its thread turns to the next call. */
    private int turn;

    private String id;

    /** Since when it runs, on the engine's clock; 0: no clock was read. */
    private long since;

    public Call(Group group, String id) {
        super(group);
        this.id = id;
    }

    /** As {@link #unpark(Group)}, for a call with that id. */
    public void unpark(Group entered, String newId) {
        int next = turn + 1;
        TURN.setOpaque(this, next);
        VarHandle.storeStoreFence();
        id = newId;
        since = 0;
        unpark(entered);
        TURN.setRelease(this, next + 1);
    }

    @Override
    public void beginAt(long now) {
        since = now;
    }

    /** {@return since when the code of a call runs: it begins now, unless its time has {@linkplain #beginAt begun}} */
    public static long begin(Hold hold, Core clock) {
        if (!(hold instanceof Call call)) {
            return clock.now();
        }
        if (call.since == 0) {
            call.since = clock.now();
        }
        return call.since;
    }

    @Override
    public Particulars particulars(Group of) {
        int before = (int) TURN.getAcquire(this);
        Particulars read = new Particulars(id, since);
        boolean there = isOpen() && group == of;
        VarHandle.loadLoadFence();
        return there && (before & 1) == 0 && before == (int) TURN.getOpaque(this) ? read : Particulars.NONE;
    }
}
