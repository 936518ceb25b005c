package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The unfinished forks of one scope, the newest first, and some that are over.
 *
 * <p>A thread that forks pushes, by one compare-and-set. A fork that is over stays linked until a sweep. The thread
 * that ends a fork sweeps once those that are over outnumber the others, or are half as many if the others are few, so
 * at once if there are no others. That costs each fork amortised constant time, and forks that are over take no more
 * memory than the others.
 *
 * <p>One thread at a time unlinks. Before the scope is cancelled, that is the thread with the lock, for which only a
 * cancelling thread waits; afterwards it is the thread that has cancelled, once. An unlinked fork is linked to itself:
 * so it keeps no other reachable, and a thread that goes over the stack meanwhile sees that it has to start again.
 */
@SuppressWarnings("ReferenceEquality") // forks have identity
final class ForkStack {

    /** After how many who sweeps asks whether the scope is cancelled, since who cancels waits for that. */
    private static final int STRIDE = 32;

    /** How often one begins again who looks while others sweep. */
    private static final int MOST_LOOKS = 8;

    private static final VarHandle NEWEST;

    static {
        try {
            NEWEST = MethodHandles.lookup().findVarHandle(ForkStack.class, "newest", ForkedSubtask.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Forks forks;

    private final ReentrantLock sweeping = new ReentrantLock();

    /** Guarded by the lock: whether nobody sweeps any more. */
    private boolean frozen;

    private volatile @Nullable ForkedSubtask<?> newest;

    ForkStack(Forks forks) {
        this.forks = forks;
    }

    /** Adds one. Then the scope may be cancelled already, and who has cancelled it not have found this one. */
    void push(ForkedSubtask<?> fork) {
        ForkedSubtask<?> top;
        do {
            top = newest;
            fork.older = top;
        } while (!NEWEST.compareAndSet(this, top, fork));
    }

    // ---- sweeping

    /** Unlinks what is over, if that is much, and nobody is at it; it needs no memory. */
    void sweepIfMuchIsOver() {
        // Again, for those that have met this one at it.
        while (!forks.isCancelled() && forks.isMuchOver() && sweeping.tryLock()) {
            try {
                if (!frozen) {
                    sweep();
                }
            } finally {
                sweeping.unlock();
            }
        }
    }

    private void sweep() {
        int unlinked = 0;
        ForkedSubtask<?> kept = null;
        ForkedSubtask<?> fork = newest;
        for (int i = 0; fork != null && (i % STRIDE != 0 || !forks.isCancelled()); i++) {
            ForkedSubtask<?> older = fork.older;
            if (fork.isOver() && unlink(kept, fork)) {
                unlinked++;
            } else {
                kept = fork;
            }
            fork = older;
        }
        forks.unlinked(unlinked);
    }

    /**
     * Unlinks one that is over.
     *
     * @param newer what is linked to it; {@code null}: it is the newest
     * @return false if another one was just pushed on it
     */
    private boolean unlink(@Nullable ForkedSubtask<?> newer, ForkedSubtask<?> fork) {
        if (newer != null) {
            newer.older = fork.older;
        } else if (!NEWEST.compareAndSet(this, fork, fork.older)) {
            return false;
        }
        fork.older = fork;
        return true;
    }

    // ---- by who has cancelled the scope

    /** Returns when nobody sweeps any more. */
    private void freeze() {
        sweeping.lock();
        try {
            frozen = true;
        } finally {
            sweeping.unlock();
        }
    }

    /**
     * Has those that wait do so no longer, the newest first.
     *
     * @param left takes what is left to be told, by {@link Cancellation#tellAll}
     */
    void haveLeave(List<Object> left) {
        if (newest == null) {
            return;
        }
        freeze();
        ForkedSubtask<?> kept = null;
        ForkedSubtask<?> fork = newest;
        while (fork != null) {
            ForkedSubtask<?> older = fork.older;
            try {
                fork.leave(left);
            } catch (Throwable failure) {
                ScopeBridge.logged(failure); // the others leave all the same
            }
            if (!(fork.isOver() && unlink(kept, fork))) {
                kept = fork;
            }
            fork = older;
        }
    }

    /** Has those that have permits stop; {@link #haveLeave} comes before. */
    void haveStop() {
        for (ForkedSubtask<?> fork = newest; fork != null; fork = fork.older) {
            try {
                fork.leaveGroup();
            } catch (Throwable failure) {
                ScopeBridge.logged(failure); // the others stop all the same
            }
        }
    }

    /** Lets go of all of a scope that is closed. */
    void clear() {
        ForkedSubtask<?> fork = newest;
        if (fork != null) {
            newest = null;
        }
        while (fork != null) {
            ForkedSubtask<?> older = fork.older;
            fork.older = null;
            fork = older;
        }
    }

    // ---- looking

    /** {@return the oldest of those that aren't over, so many at most, the oldest first} */
    List<ForkedSubtask<?>> oldest(int most) {
        Deque<ForkedSubtask<?>> last = new ArrayDeque<>();
        look(last::clear, fork -> {
            if (last.size() == most) {
                last.removeFirst();
            }
            last.addLast(fork);
        });
        List<ForkedSubtask<?>> oldest = new ArrayList<>(last);
        Collections.reverse(oldest);
        return oldest;
    }

    /** {@return how many forks are queued for which group, without scheduled runs, the newest first} */
    Map<String, Integer> queuedByGroup() {
        LinkedHashMap<String, Integer> queued = new LinkedHashMap<>();
        look(queued::clear, fork -> {
            if (fork.phaseNumber() == ForkState.QUEUED && !fork.isRunOfSchedule()) {
                queued.merge(fork.group(), 1, Integer::sum);
            }
        });
        return queued;
    }

    /** Looks at those that aren't over, the newest first; again if others sweep meanwhile, but not for ever. */
    private void look(Runnable begin, Consumer<ForkedSubtask<?>> seen) {
        for (int looks = 0; looks < MOST_LOOKS; looks++) {
            begin.run();
            if (lookOnce(seen)) {
                return;
            }
        }
    }

    /** {@return false if the way was lost} */
    private boolean lookOnce(Consumer<ForkedSubtask<?>> seen) {
        ForkedSubtask<?> fork = newest;
        while (fork != null) {
            if (!fork.isOver()) {
                seen.accept(fork);
            }
            ForkedSubtask<?> older = fork.older;
            if (older == fork) {
                return false;
            }
            fork = older;
        }
        return true;
    }
}
