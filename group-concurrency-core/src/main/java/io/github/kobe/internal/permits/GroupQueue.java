package io.github.kobe.internal.permits;

import io.github.kobe.Costs;
import io.github.kobe.internal.base.Core;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that wait in one group, first in first out. Guarded by the group's guard, except for readings marked as
 * stale.
 *
 * <p>A node that ends its wait in the middle of the queue stays linked as a dead one, which counts nowhere. There are
 * never more dead nodes than live ones, or than 32 if that is more, and none when nothing waits. So ending a wait costs
 * amortised constant time.
 *
 * <p>Some nodes, called <i>exempt</i>, may not need a free global permit, because they may share one. They are also
 * listed separately, because they may have to overtake. So are nodes that belong to scopes: see {@link LocalLending}.
 *
 * <p>Taking a node out needs no memory, because it follows the grant, which must not be lost.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class GroupQueue {

    private static final int TOLERATED_DEAD = 32;

    /** Waiting nodes of all groups that count. */
    private final AtomicLong waiting;

    /** Whether what waits here counts there: only where somebody asks, since all cores would contend for that number. */
    private boolean counted;

    private @Nullable Node head;
    private @Nullable Node tail;
    private int live;
    private int dead;
    /** Of the plain tasks; {@code null} also if there are none. */
    private @Nullable ClassLoader loader;

    private boolean hasLoader;
    /** By the permit that they may share, in turns; {@code null} where there are none, as nearly always. */
    private @Nullable LinkedHashMap<Object, Line> exempt;
    /** Of what belongs to scopes, and what is offered to it; {@code null} where there is nothing of that. */
    private @Nullable LocalLending lending;
    /** What those that wait cost that say so; {@code null} where none does, as nearly always. */
    private @Nullable WaitingCosts costs;

    GroupQueue(AtomicLong waiting) {
        this.waiting = waiting;
    }

    /** Counts what waits here in {@link Core#waiting}, or no longer does. */
    void setCounted(boolean count) {
        if (count != counted) {
            counted = count;
            waiting.addAndGet(count ? live : -live);
        }
    }

    /**
     * Counts a node that is about to be added.
     *
     * @return how many wait in all groups, if those are {@code threshold} or more and it isn't counted; else -1
     */
    long reserve(int threshold) {
        while (counted) {
            long all = waiting.get();
            if (all >= threshold && threshold != Integer.MAX_VALUE) {
                return all;
            }
            if (waiting.compareAndSet(all, all + 1)) {
                break;
            }
        }
        return -1;
    }

    /** Takes back what {@link #reserve} did. */
    void unreserve() {
        if (counted) {
            waiting.decrementAndGet();
        }
    }

    /** {@return how many wait; stale outside the guard} */
    int size() {
        return live;
    }

    boolean isEmpty() {
        return live == 0;
    }

    /** {@return the context class loader of the plain tasks in it} */
    @Nullable
    ClassLoader loader() {
        return loader;
    }

    /** Makes the first task's loader the queue's; {@code node}, if it wants another one, keeps that itself. */
    void takeLoader(Node node, @Nullable ClassLoader submitters) {
        if (!node.wantsLoader()) {
            return;
        }
        if (!hasLoader) {
            loader = submitters;
            hasLoader = true;
        } else if (submitters != loader) {
            node.tailor(submitters);
        }
    }

    /** Appends {@code node}, for which a place was {@linkplain #reserve reserved}. If it fails, nothing has come of it. */
    void add(Node node, long now) {
        Costs said = node.costs();
        if (said != null) {
            addCosts(said);
        }
        boolean added = false;
        try {
            list(node);
            added = true;
        } finally {
            if (!added && said != null) {
                Objects.requireNonNull(costs).remove(said);
            }
        }
        node.markQueued(now);
        node.next = null;
        if (tail == null) {
            head = node;
        } else {
            tail.next = node;
        }
        tail = node;
        live++;
    }

    private void addCosts(Costs said) {
        WaitingCosts known = costs == null ? new WaitingCosts() : costs;
        known.add(said);
        costs = known;
    }

    /** Lists it where it is listed besides. */
    private void list(Node node) {
        Object shared = node.shared();
        if (shared != null) {
            addExempt(shared, node);
        }
        if (node.lineage() != null) {
            addKin(node);
        }
    }

    private void addExempt(Object shared, Node node) {
        if (exempt == null) {
            exempt = new LinkedHashMap<>(1);
        }
        Line line = exempt.get(shared);
        boolean known = line != null;
        if (line == null) {
            line = new Line();
        }
        line.add(node, Line.Kind.THREAD);
        if (!known) {
            exempt.put(shared, line);
        }
    }

    private void leaveExempt(Object shared, Node node) {
        Line line = exempt == null ? null : exempt.get(shared);
        if (exempt != null && line != null) {
            if (line.leave(node)) {
                exempt.remove(shared);
            } else {
                exempt.putLast(shared, line); // it is the others' turn
            }
        }
    }

    private void addKin(Node node) {
        boolean added = false;
        try {
            Objects.requireNonNull(lending).add(node);
            added = true;
        } finally {
            Object shared = node.shared();
            if (!added && shared != null) {
                leaveExempt(shared, node);
            }
        }
    }

    /** {@return the first that waits} */
    @Nullable
    Node first() {
        while (head != null && !head.isQueued()) {
            unlinkHead();
            dead--;
        }
        return head;
    }

    /** {@return about the first that waits, which may have left; by anyone} */
    @Nullable
    Node about() {
        return head;
    }

    /** {@return the last that was added, which may have left} */
    @Nullable
    Node last() {
        return tail;
    }

    /** Takes the {@link #first} out. */
    void removeFirst(Node first) {
        unlinkHead();
        leave(first);
        if (first() != null) { // a dead head would be taken for the one that has waited longest
            sweepIfMostlyDead();
        }
    }

    private void unlinkHead() {
        Node unlinked = head;
        if (unlinked != null) {
            head = unlinked.next;
            unlinked.next = null;
            if (head == null) {
                tail = null;
            }
        }
    }

    /** Takes {@code node} out, wherever it stands. */
    public void remove(Node node) {
        leave(node);
        dead++;
        if (first() != null) {
            sweepIfMostlyDead();
        }
    }

    private void sweepIfMostlyDead() {
        if (dead > TOLERATED_DEAD && dead > live) {
            sweep();
        }
    }

    private void leave(Node node) {
        node.markLeft();
        live--;
        unreserve();
        Object shared = node.shared();
        if (shared != null) {
            leaveExempt(shared, node);
        }
        if (lending != null && node.lineage() != null) {
            lending.leave(node);
        }
        Costs said = costs == null ? null : node.costs();
        if (costs != null && said != null) {
            costs.remove(said);
        }
    }

    private void sweep() {
        Node node = head;
        head = null;
        tail = null;
        dead = 0;
        while (node != null) {
            Node next = node.next;
            node.next = null;
            if (node.isQueued()) {
                if (tail == null) {
                    head = node;
                } else {
                    tail.next = node;
                }
                tail = node;
            }
            node = next;
        }
    }

    /**
     * Adds what waits to {@code nodes}, the oldest first, until there are {@code limit}. Dead ones on the way are unlinked.
     *
     * @param portion how many dead ones at most
     * @return false if that wasn't enough
     */
    boolean listOldest(List<Node> nodes, int limit, int portion) {
        int unlinked = 0;
        Node live = null;
        for (Node node = first(); node != null && nodes.size() < limit; ) {
            Node next = node.next;
            if (node.isQueued()) {
                nodes.add(node);
                live = node;
            } else if (live != null) { // as the first does
                live.next = next;
                node.next = null;
                if (next == null) {
                    tail = live;
                }
                dead--;
                if (++unlinked == portion && next != null) {
                    return false;
                }
            }
            node = next;
        }
        return true;
    }

    /** Lets go of what an empty queue has no use for. */
    void tidy() {
        if (live == 0) {
            head = null;
            tail = null;
            dead = 0;
            loader = null;
            hasLoader = false;
            costs = null;
        }
        if (exempt != null && exempt.isEmpty()) {
            exempt = null;
        }
        if (lending != null && lending.isEmpty()) {
            lending = null;
        }
    }

    /** {@return whether any of it says itself what it costs} */
    boolean saysCosts() {
        return costs != null;
    }

    /**
     * {@return what all that waits costs of one rate}
     *
     * @param byDefault what work costs that says nothing of that
     */
    long costOf(String rate, int byDefault) {
        return costs == null ? (long) live * byDefault : costs.costOf(rate, live, byDefault);
    }

    boolean hasExempt() {
        return exempt != null && !exempt.isEmpty();
    }

    /** {@return the first that may share a global permit, of the permit whose turn it is} */
    @Nullable
    Node firstExempt() {
        if (exempt != null) {
            for (Iterator<Line> lines = exempt.values().iterator(); lines.hasNext(); ) {
                Line line = lines.next();
                Node first = line.first(Line.Kind.THREAD);
                if (first != null && first.mayShare()) {
                    return first; // else none behind it may either
                }
                if (first == null || first.canNeverShare()) {
                    lines.remove();
                }
            }
        }
        return null;
    }

    /** {@return what it has to do with lending; {@code null}: nothing} */
    @Nullable
    LocalLending lending() {
        return lending;
    }

    /** What belongs to scopes is listed in {@code made} from now on. */
    void lendBy(LocalLending made) {
        lending = made;
    }

    /** {@return since when the first has waited, on the engine's clock; 0: nothing waits. Stale outside the guard} */
    long oldestQueuedAt() {
        Node first = head;
        return first == null ? 0 : first.queuedSince();
    }
}
