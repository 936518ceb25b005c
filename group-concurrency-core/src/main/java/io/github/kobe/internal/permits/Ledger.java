package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Tempo;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What all groups share: the {@linkplain GlobalPermits global limit and rate}, whose turn it is, and the sums that show when all
 * is quiet.
 *
 * <h2>States</h2>
 *
 * <pre>
 *   off     neither a global limit nor a rate was ever set: groups have locks of their own and touch nothing here
 *   loose   one was set, and nothing is short: free global permits are in {@link Credits}, and so are some starts of the
 *           rate; groups have locks of their own, and take and return credits there. With a burst below 8 it is never loose
 *   on      a start needs what no stripe has, a permit or a start of the rate, a thread waits for quiet, or an owner is to
 *           have permits back or looked at: the stripes are frozen, and the ledger has what was there
 *
 *   off   -> on      the first finite limit or rate; a thread waits for quiet; an owner wants permits back
 *   loose -> on      {@link #bind}
 *   on    -> loose   a thread that leaves the lock when nothing needs it any more ({@link #unlock})
 *   on    -> off     no limit or rate was ever set, and nothing needs it any more
 * </pre>
 *
 * <p>While it is on, a group that is entered is attached to it: its lock guards the group, and one short critical
 * section decides about all three permits. A group that nobody enters may stay as it is: a start there needs a credit,
 * and finds the stripes frozen. A thread that waits for quiet, and the first limit, attach all groups, so that they
 * count. A group stays attached in which anything is lent or offered. See docs/adr/0028-credits-in-stripes.md.
 *
 * <p><b>{@linkplain Turns Turns}</b> are for groups that lack nothing but a free global permit, or a start of the global rate.
 * What a group leaves unused of its turn is lost. It leaves as soon as it can't start anything. While only the rate keeps them
 * from starting, {@link StartTurns} say whose turn it is.
 *
 * <p><b>Headroom</b>, the last free permits, is for groups that hold {@linkplain GroupState#holdsLittle little}. The stripes
 * never have it. Who shares a global permit needs none, nor has who borrows to wait for it: one could wait for the other.
 *
 * <p>Everything is guarded by {@link #lock} unless said otherwise.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Ledger {

    /** After so many critical sections for each stripe without a group that waits for its turn the limit isn't short any more. */
    private static final int CALM_SECTIONS = 4;

    private final Core core;

    public final GlobalPermits permits;

    /** Where it is the guard of a group, it is taken as any guard, and given back by {@link #unlock()}. */
    public final ReentrantLock lock = new ReentrantLock();

    /** Signalled when it may have become quiet. */
    public final Condition quiet = lock.newCondition();

    /** Signalled when something lent has been returned. */
    public final Condition returned = lock.newCondition();

    /** Written under the lock; read under the own lock of a group, which {@link #watch} takes after it. */
    private volatile boolean on;

    private int watchers;
    /** How many critical sections in a row have ended without a group that waits for its turn. */
    private int calmSections;
    /** The sum over attached groups. */
    private long inFlight;
    /** How many of them are of threads that wait for quiet themselves, at most. */
    private long ownFlights;
    /** Whose turn it is, while permits are short ... */
    final Turns turns = new Turns();
    /** ... and while only the rate is. While there is one, both have the same groups. */
    private final StartTurns startTurns = new StartTurns();
    /** Whether turns ended the last time since the rate let nothing start. Written under the lock; read by anyone. */
    private boolean rateShort;
    /** The offers that each section looks at. */
    final Lenders lenders;
    /**
     * Groups with room in which something waits that may share a global permit. A critical section looks at its own group,
     * and at the others only once {@link #sharingHasChanged}.
     */
    private final Set<GroupState> withExempt = new LinkedHashSet<>();
    /** Whether any of those may start now what it could not start before. Set by anyone. */
    private volatile boolean sharingChanged;
    /** Groups where something that is offered a permit of the group lacks a free global one. */
    private final SequencedSet<GroupState> wantFree = new LinkedHashSet<>();
    /** Groups where something that is offered permits lacks a start of the rate. It goes ahead of all turns. */
    private final SequencedSet<GroupState> wantStart = new LinkedHashSet<>();

    Ledger(Core core, Lenders lenders) {
        this.core = core;
        this.permits = new GlobalPermits(core);
        this.lenders = lenders;
    }

    public boolean isOn() {
        return on;
    }

    public void lock() {
        lock.lock();
    }

    /** Leaves the lock, and the state that nothing needs any more. It needs no memory. */
    public void unlock() {
        if (lock.getHoldCount() == 1) {
            settle();
        }
        lock.unlock();
    }

    private void settle() {
        if (watchers > 0 && inFlight <= ownFlights) {
            quiet.signalAll();
        }
        if (!permits.isCapped()) {
            if (on && !isNeeded()) {
                on = false;
            }
        } else if (on) {
            int enough = CALM_SECTIONS * permits.stripes();
            boolean calm = turns.isEmpty() && wantStart.isEmpty() && wantFree.isEmpty();
            calmSections = calm ? Math.min(calmSections, enough - 1) + 1 : 0;
            if (calmSections >= enough && !isNeeded() && permits.prepareThaw()) {
                on = false;
                permits.thaw();
            }
        } else if (!permits.spreadRest()) {
            bind();
        }
    }

    private boolean isNeeded() {
        return watchers > 0 || lenders.isAny();
    }

    // ---- on and off

    /** Is on from now on, if there are owners to be looked at again. */
    void bindForLenders() {
        if (lenders.isAny()) {
            bind();
        }
    }

    /** Takes over all free permits: from now on each start is decided here. */
    public void bind() {
        if (!on) {
            on = true;
            calmSections = 0;
            permits.freeze();
        }
    }

    /** Has more in the stripes, if it is loose and only the rate kept something from starting; else as {@link #bind}. */
    void refillOrBind() {
        if (on || !permits.refill()) {
            bind();
        }
    }

    /**
     * Sets limit, headroom and rate; what that lets start is for {@link #drain}. If it fails, all are as they were.
     *
     * @param begins whether nothing was ever started
     */
    void setLimits(int newLimit, int newHeadroom, @Nullable Tempo rate, boolean begins) {
        lock();
        try {
            if (permits.are(newLimit, newHeadroom, rate)) {
                return;
            }
            bind();
            permits.change(newLimit, newHeadroom, rate, begins);
            sharingChanged = true;
            calmSections = Integer.MAX_VALUE;
        } finally {
            unlock();
        }
    }

    /** Has the sums kept until {@link #unwatch}. If it fails, nothing has come of it. The caller doesn't hold the lock. */
    public void watch(Iterable<Group> groups) {
        watch(null, groups);
    }

    /** As {@link #watch}, and has what is out counted in all groups, so that a first limit can be set. */
    void watchFirstLimit(int newLimit, Iterable<Group> groups) {
        watch(permits.newCredits(newLimit), groups);
    }

    /**
     * Attaches every group, one by one, while it watches: so it stays on, and what is entered attaches itself. A group that is
     * put into the map at the same time is slow by birth: at its first use it either sees that it is on or that there are credits, or
     * was in the map before, and is among {@code groups}.
     */
    private void watch(@Nullable Credits first, Iterable<Group> groups) {
        lock();
        try {
            bind();
            if (first != null) {
                permits.makeFirst(first);
            }
            watchers++;
        } finally {
            unlock();
        }
        boolean all = false;
        try {
            for (Group group : groups) {
                attach(group);
            }
            all = true;
        } finally {
            if (!all) {
                unwatch();
            }
        }
    }

    public void unwatch() {
        lock();
        try {
            watchers--;
        } finally {
            unlock();
        }
    }

    public void attach(GuardedGroup group) {
        lock();
        try {
            group.attach();
        } finally {
            unlock();
        }
    }

    /** Keeps {@code group} attached until {@link #unpin}. */
    public void pin(Group group) {
        attach(group);
        group.pins++;
    }

    /** The group detaches, if it can, when it is next used. */
    public void unpin(Group group) {
        group.pins--;
    }

    /** {@return whether it may leave} Not while one that has left off keeps others behind it: these are found only here. */
    boolean isDetachable(GroupState group) {
        return !on && group.pins == 0 && turns.isEmpty();
    }

    void detach(GroupState group) {
        forget(group);
        group.leaveLedger();
    }

    /** The group detaches, or dies. */
    void forget(GroupState group) {
        leaveTurns(group);
        withExempt.remove(group);
        wantFree.remove(group);
        wantStart.remove(group);
    }

    // ---- sums

    /** Adds to the number in flight in attached groups; a negative number subtracts. */
    void addInFlight(long number) {
        inFlight += number;
    }

    /** {@return whether a group has yet to get in its turn what is free} */
    boolean isAwaited() {
        GroupState first = next();
        return !wantStart.isEmpty() || (first != null && permits.mayTake(first));
    }

    /** {@return the number in flight; exact while somebody watches} */
    public long inFlight() {
        return inFlight;
    }

    /** Adds to the in-flight permits of threads that wait for quiet themselves; a negative number subtracts. */
    public void addOwnFlights(long delta) {
        ownFlights += delta;
    }

    // ---- turns

    /** Grants what can be granted, in {@code group} and wherever else it is possible now. */
    void dispatch(GroupState group, Batch batch) {
        if (group.isEligible()) {
            turns.place(group);
            if (permits.isRated()) {
                startTurns.join(group);
            }
        } else {
            leaveTurns(group);
        }
        if (group.mayGrantExempt()) {
            withExempt.add(group);
        } else if (!withExempt.isEmpty()) {
            withExempt.remove(group);
        }
        if (!wantStart.isEmpty() && !group.isOffered()) {
            wantStart.remove(group);
        }
        drain(group, batch);
    }

    /** A global permit may be shared that could not be before: so all groups where one may be are looked at again. */
    public void sharingHasChanged() {
        if (!sharingChanged) {
            sharingChanged = true;
        }
    }

    /** Has {@code group} looked at again as soon as a global permit is free that is nobody's turn. */
    public void wantFree(GroupState group) {
        wantFree.add(group);
    }

    /** As {@link #bind}, unless the rate lets one start without those in stripes; returns whether it lets one start. */
    public boolean bindUnlessMayStart() {
        if (!permits.mayStart()) {
            bind();
        }
        return permits.mayStart();
    }

    /** Has {@code group} looked at again as soon as the rate lets something start. */
    public void wantStart(GroupState group) {
        wantStart.add(group);
    }

    /**
     * First owners who want their permits back, then what is offered, then whose turn it is, then who needs no global permit,
     * then what is offered and needs more than that.
     *
     * @param entered the group that the critical section is of; {@code null}: of none
     */
    public void drain(@Nullable GroupState entered, Batch batch) {
        lenders.reclaim(batch);
        boolean all = sharingChanged;
        if (all) {
            sharingChanged = false;
        }
        boolean done = false;
        try {
            lenders.lendInside(batch);
            for (GroupState group : toLookAt(all, entered)) {
                group.grantOffered(false, batch);
            }
            do {
                while (permits.mayStart() && !wantStart.isEmpty()) {
                    grantWanted(wantStart.removeFirst(), batch);
                }
                if (!grantTurns(batch)) {
                    return;
                }
                for (GroupState group :
                        permits.hasSpare() && !rateShort ? List.<GroupState>of() : toLookAt(all, entered)) {
                    group.grantExempt(batch);
                }
                for (GroupState group : toLookAt(all, entered)) {
                    group.grantOffered(true, batch);
                }
                lenders.lendOn(batch);
                while (permits.hasFree() && !wantFree.isEmpty()) {
                    grantWanted(wantFree.removeFirst(), batch);
                }
                // Whose permits were lent holds less: it may have the headroom now.
            } while (isAwaited() && permits.mayStart());
            if (rateShort || !wantStart.isEmpty()) {
                armRate();
            }
            done = true;
        } finally {
            if (!done) {
                sharingChanged = true; // the next one looks at all that this one has not come to
            }
        }
    }

    /** Grants what is offered in a group that is no longer among those that want more; if that fails, it is tried again. */
    private void grantWanted(GroupState group, Batch batch) {
        try {
            group.grantOffered(true, batch);
        } catch (Throwable failure) {
            core.housekeeper.retry(group.asGroup());
            throw failure;
        }
    }

    /** {@return false if it has left off} */
    private boolean grantTurns(Batch batch) {
        for (GroupState group = next(); group != null; group = next()) {
            if (!group.isEligible()) {
                leaveTurns(group);
                continue;
            }
            boolean lacksPermit = !permits.mayTake(group);
            if ((lacksPermit || !permits.mayStart()) && !group.headIsExempt()) {
                if (lacksPermit) {
                    break;
                }
                rateShort = true;
                return true;
            }
            if (batch.leavesOff(group.asGroup())) {
                return false;
            }
            boolean byStarts = isByStarts();
            if (!byStarts) {
                group.leftInTurn = group.leftOfTurn(group.leftInTurn);
            }
            int place = group.place;
            if (!group.grantHead(batch)) {
                // All that waited there had left, or their time was up: perhaps nobody comes by the group any more.
                group.offerIfIdle(batch);
            } else if (byStarts) {
                startTurns.started(group);
            } else if (group.place == place && --group.leftInTurn == 0) {
                turns.passOn(group);
            }
            if (!group.isEligible()) {
                leaveTurns(group);
            }
        }
        rateShort = false;
        return true;
    }

    /** {@return whether turns are in starts: permits aren't short, and the rate is} */
    private boolean isByStarts() {
        return rateShort && permits.hasSpare() && startTurns.first() != null;
    }

    /** {@return whose turn it is; {@code null}: there is none} */
    private @Nullable GroupState next() {
        return isByStarts() ? startTurns.first() : turns.first();
    }

    private void leaveTurns(GroupState group) {
        turns.leave(group);
        startTurns.leave(group);
    }

    // ---- the rate

    /** {@return whether something waits that only the rate keeps from starting} By anyone; it may be stale. */
    boolean isRateShort() {
        return rateShort && !permits.mayStart();
    }

    /** Has the housekeeper look when the rate lets something start that waits. */
    private void armRate() {
        GlobalRate rate = permits.rate();
        if (rate != null
                && rate.wantsAlarm()
                && !rate.arm(core, () -> permits.rate() != rate, now -> rateIsDue(rate, now))) {
            GroupState first = wantStart.isEmpty() ? turns.first() : wantStart.getFirst();
            boolean unused = first != null && core.housekeeper.retry(first.asGroup());
        }
    }

    private void rateIsDue(GlobalRate rate, long now) {
        Batch batch = new Batch(core);
        lock();
        try {
            rate.alarmHasCome(now);
            drain(null, batch);
        } finally {
            unlock();
            batch.carryOut();
        }
    }

    private List<GroupState> toLookAt(boolean all, @Nullable GroupState entered) {
        boolean own = entered != null && (entered.isOffered() || withExempt.contains(entered));
        if (!all || withExempt.isEmpty()) {
            return own ? List.of(entered) : List.of();
        }
        List<GroupState> some = new ArrayList<>(withExempt);
        if (own && !withExempt.contains(entered)) {
            some.add(entered);
        }
        return some;
    }
}
