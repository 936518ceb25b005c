package io.github.kobe;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is common to all groups: the global limit, whose turn it is, and the sums that tell when all is quiet.
 *
 * <p>It is <b>on</b> while a global limit is set or someone waits for quiet (a shutdown does, for good). Then every group
 * is attached to it: its lock guards them all, and one short critical section decides over all three layers. While it is
 * off, groups have locks of their own and touch nothing here; a group with an open {@link Loan} stays attached.
 *
 * <p><b>Turns</b> are weighted round robin over the ring of groups that could start something if only there were a free
 * global permit. A group starts up to its weight in its turn; what it leaves unused is lost; a newcomer joins at the end
 * of the ring, which is just before whose turn it is. A group leaves as soon as it can't start anything.
 *
 * <p>Everything is guarded by {@link #lock} unless said otherwise.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Ledger {

    final ReentrantLock lock = new ReentrantLock();

    /** Signalled when it may have become quiet. */
    final Condition quiet = lock.newCondition();

    /** Written under the lock; read under the own lock of a group, which {@link #turnOn} takes after it. */
    private volatile boolean on;

    private int limit = Integer.MAX_VALUE;
    private int watchers;

    /** The limit less the global permits that are out, of attached groups; may be negative after a smaller limit. */
    private long free = Integer.MAX_VALUE;

    /** The sum over attached groups. */
    private long inFlight;

    /** How many of them are of threads that wait for quiet themselves, at most. */
    private long ownFlights;

    /** Whose turn it is. */
    private @Nullable Group turn;

    /** Groups that may have queued nodes which need no free global permit. */
    private final Set<Group> withExempt = new LinkedHashSet<>();

    /** Loans whose lenders want their permits back, eldest first, linked by {@link Loan#nextReclaimer}. */
    private @Nullable Loan firstReclaimer;

    boolean isOn() {
        return on;
    }

    // ---- on and off

    /** Sets the global limit. What a larger one lets start is in {@code batch}. */
    void setLimit(int newLimit, Iterable<Group> groups, Batch batch) {
        lock.lock();
        try {
            free += (long) newLimit - limit;
            limit = newLimit;
            if (newLimit != Integer.MAX_VALUE) {
                turnOn(groups);
            } else if (watchers == 0) {
                on = false;
            }
            drain(batch);
        } finally {
            lock.unlock();
        }
    }

    /** Has the sums kept until {@link #unwatch}. */
    void watch(Iterable<Group> groups) {
        lock.lock();
        try {
            turnOn(groups);
            watchers++;
        } finally {
            lock.unlock();
        }
    }

    void unwatch() {
        lock.lock();
        try {
            if (--watchers == 0 && limit == Integer.MAX_VALUE) {
                on = false;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Attaches every group. A group that is put into the map at the same time is slow by birth: at its first use it
     * either sees {@link #on}, or was in the map before that was set, and is among {@code groups}.
     */
    private void turnOn(Iterable<Group> groups) {
        on = true;
        for (Group group : groups) {
            attach(group);
        }
    }

    void attach(Group group) {
        lock.lock();
        try {
            if (!group.attached) {
                group.attach();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Keeps {@code group} attached until {@link #unpin}. */
    void pin(Group group) {
        attach(group);
        group.pins++;
    }

    /** The group detaches, if it can, when it is next used. */
    void unpin(Group group) {
        group.pins--;
    }

    boolean isDetachable(Group group) {
        return !on && group.pins == 0;
    }

    void detach(Group group) {
        forget(group);
        group.detach();
    }

    /** The group detaches, or dies. */
    void forget(Group group) {
        leaveRing(group);
        withExempt.remove(group);
    }

    // ---- sums

    /** A group with so many in flight is attached, or with negative numbers detached. */
    void adopt(int groupInFlight, int nested) {
        inFlight += groupInFlight;
        free -= groupInFlight - nested;
    }

    /** So many permits of flight and global permits were taken, or with negative numbers given back. */
    void took(int flights, int globals) {
        inFlight += flights;
        free -= globals;
    }

    boolean hasFree() {
        return free > 0;
    }

    /** {@return the number in flight; exact while it is on} */
    long inFlight() {
        return inFlight;
    }

    /** Threads that hold so many permits of flight wait for quiet, or with a negative number no longer do. */
    void addOwnFlights(long delta) {
        ownFlights += delta;
    }

    // ---- turns

    void addReclaimer(Loan loan) {
        Loan last = firstReclaimer;
        if (last == null) {
            firstReclaimer = loan;
            return;
        }
        while (last.nextReclaimer != null) {
            last = last.nextReclaimer;
        }
        last.nextReclaimer = loan;
    }

    void removeReclaimer(Loan loan) {
        Loan before = null;
        for (Loan at = firstReclaimer; at != loan && at != null; at = at.nextReclaimer) {
            before = at;
        }
        if (before == null) {
            firstReclaimer = loan.nextReclaimer;
        } else {
            before.nextReclaimer = loan.nextReclaimer;
        }
        loan.nextReclaimer = null;
    }

    /** Sets a lent global permit aside for a task of another group. */
    void reserve(Loan loan) {
        free--;
        loan.reserved = true;
    }

    void unreserve(Loan loan) {
        free++;
        loan.reserved = false;
    }

    /** Starts what can start, in {@code group} and wherever else it is possible now. */
    void dispatch(Group group, Batch batch) {
        if (group.isEligible()) {
            joinRing(group);
        } else {
            leaveRing(group);
        }
        if (group.hasExempt()) {
            withExempt.add(group);
        } else if (!withExempt.isEmpty()) {
            withExempt.remove(group);
        }
        drain(batch);
        if (watchers > 0 && inFlight <= ownFlights) {
            quiet.signalAll();
        }
    }

    /** First lenders who want their permits back, then work on lent permits, then the ring, then who needs no global. */
    void drain(Batch batch) {
        for (Loan loan = firstReclaimer, next; loan != null; loan = next) {
            next = loan.nextReclaimer;
            loan.task.group.engine.lending.tryReclaim(loan, batch);
        }
        grantExempt(true, batch);
        for (Group group = turn; group != null; group = turn) {
            if (!group.isEligible()) {
                leaveRing(group);
                continue;
            }
            if (free <= 0 && !group.headIsExempt()) {
                break;
            }
            if (group.credit == 0) {
                group.credit = group.weight();
            }
            if (!group.grantHead(batch)) {
                // All that waited there had left, or their time was up: perhaps nobody comes by the group any more.
                group.offerIfIdle(batch);
            } else if (--group.credit == 0) {
                turn = group.ringNext;
            }
            if (!group.isEligible()) {
                leaveRing(group);
            }
        }
        if (free <= 0) {
            grantExempt(false, batch);
        }
    }

    private void grantExempt(boolean onLoan, Batch batch) {
        if (!withExempt.isEmpty()) {
            for (Group group : withExempt.toArray(new Group[0])) {
                group.grantExempt(onLoan, batch);
            }
        }
    }

    private void joinRing(Group group) {
        if (group.ringNext != null) {
            return;
        }
        Group first = turn;
        if (first == null || first.ringPrevious == null) {
            group.ringNext = group;
            group.ringPrevious = group;
            turn = group;
        } else {
            Group last = first.ringPrevious;
            group.ringNext = first;
            group.ringPrevious = last;
            last.ringNext = group;
            first.ringPrevious = group;
        }
        group.credit = 0;
    }

    private void leaveRing(Group group) {
        Group next = group.ringNext;
        Group previous = group.ringPrevious;
        if (next == null || previous == null) {
            return;
        }
        if (next == group) {
            turn = null;
        } else {
            previous.ringNext = next;
            next.ringPrevious = previous;
            if (turn == group) {
                turn = next;
            }
        }
        group.ringNext = null;
        group.ringPrevious = null;
        group.credit = 0;
    }
}
