package io.github.kobe.internal.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What a group knows of its lease, if other instances share its limit, besides the number that is leased, which is among its
 * {@link EffectiveLimits}. It finds out when those who lease have to look at the group: when a critical section leaves
 * something that they have to know of, and they haven't been told since they last looked.
 *
 * <p>Guarded by the group's guard unless said otherwise.
 */
public final class Lease {

    /**
     * How a group stood.
     *
     * @param out how many were in flight: what is nested counts, and what is lent counts once
     * @param kept how many waited that would have started if only more had been leased
     * @param refused how many that may not wait were refused for want of leased capacity since the last reading
     * @param unwanted whether the group is to be forgotten once nothing is leased
     */
    public record Reading(int out, int kept, int refused, boolean unwanted) {}

    private static final VarHandle TOLD;

    static {
        try {
            TOLD = MethodHandles.lookup().findVarHandle(Lease.class, "told", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public final String key;

    /** The next in a list of those that are to be told of; whoever has the list. */
    @Nullable
    Lease next;

    /** Whether those who lease are told, and haven't looked since. Set by who tells them, cleared by them. */
    private volatile boolean told;
    /** Whether the group is to be forgotten as soon as nothing is leased. Written under the guard, read by anyone. */
    private volatile boolean unwanted;

    /** Whether they are to be told, by who leaves the group and has a batch. */
    private boolean owes;

    private int refused;

    // ---- how it was at the beginning of the critical section
    private int outBefore;
    private boolean keptBefore;
    private boolean unusedBefore;

    public Lease(String key) {
        this.key = key;
    }

    /** Puts it before {@code later}, the first of a list; {@code null}: it is the last. */
    public void linkTo(@Nullable Lease later) {
        next = later;
    }

    /** Takes it, the first, out of its list, and returns the next. */
    public @Nullable Lease unlink() {
        Lease later = next;
        next = null;
        return later;
    }

    /** A critical section begins. */
    public void entered(int out, boolean kept, boolean unused) {
        outBefore = out;
        keptBefore = kept;
        unusedBefore = unused;
    }

    /**
     * A critical section ends; as {@link #entered}.
     *
     * @param leased how many are leased
     * @param canTell whether there is somebody to tell it; else the next section does
     * @return whether those who lease are to be told now: the caller has to see to it
     */
    public boolean leaves(int out, boolean kept, boolean unused, int leased, boolean canTell) {
        boolean surplusIsBack = out < outBefore && outBefore > leased;
        boolean becameUnused = unused && !unusedBefore && leased > 0;
        owes |= surplusIsBack || becameUnused || (kept && !keptBefore);
        if (!owes || !canTell) {
            return false;
        }
        owes = false;
        return isNews();
    }

    /** {@return whether they are to be told by the caller, since nobody has done so since they last looked} By anyone. */
    public boolean isNews() {
        return !told && TOLD.compareAndSet(this, false, true);
    }

    /** The limits of the group have changed otherwise than by its lease. */
    public void limitsChanged() {
        owes = true;
    }

    /** One that may not wait was refused for want of leased capacity. */
    public void refused() {
        owes |= refused == 0;
        refused++;
    }

    /** {@return how the group stands, which they know from now on} As {@link #entered}. */
    public Reading read(int out, int kept, boolean unused) {
        Reading reading = new Reading(out, kept, refused, unwanted);
        refused = 0;
        owes = false;
        entered(out, kept > 0, unused);
        return reading;
    }

    /** They look at the group next; without the guard. */
    void taken() {
        told = false;
    }

    /** It is to be forgotten, and can't be while something is leased. */
    public void markUnwanted() {
        owes |= !unwanted;
        unwanted = true;
    }

    /** There is use for it again. */
    public void markWanted() {
        unwanted = false;
    }

    /** {@return whether it is to be forgotten as soon as nothing is leased} By anyone. */
    public boolean isUnwanted() {
        return unwanted;
    }
}
