package io.github.kobe;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * From a thread to what it holds: the newest {@link Hold}, and through {@link Hold#below} the older ones. It serves
 * re-entry, lending, and the interrupts of a shutdown.
 *
 * <p>A table of slots by thread id takes nearly all; a thread whose slot is taken by another goes to a map. Only the
 * thread itself, or whoever is about to start it, puts a hold on top; a hold that is closed for good is taken off by
 * anyone who meets it on top, and unlinked further down when its thread adds the next one.
 *
 * <p>A platform thread leaves the hold of its last call in its slot, {@linkplain Hold#park parked}, for its next call.
 * Platform threads have slots of their own, so that those don't take the place of tasks; the next thread with the same
 * slot takes it over once the one that parked has ended. A virtual thread isn't expected to call for long.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Holds {

    private static final int SLOT_BITS = 10;
    /** Of each kind of thread half. */
    static final int SLOTS = 2 << SLOT_BITS;
    /** Fibonacci hashing: 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming, 6.4). */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final AtomicReferenceArray<@Nullable Hold> slots = new AtomicReferenceArray<>(SLOTS);
    private final ConcurrentHashMap<Thread, Hold> overflow = new ConcurrentHashMap<>();

    /** How many threads of each slot may be in the map: raised before one is put there, lowered after it was removed. */
    private final AtomicIntegerArray overflowing = new AtomicIntegerArray(SLOTS);

    static int slotOf(Thread thread) {
        int slot = (int) ((thread.threadId() * SPREAD) >>> (Long.SIZE - SLOT_BITS));
        return thread.isVirtual() ? slot : slot + (1 << SLOT_BITS);
    }

    /** {@return the newest hold of {@code thread}, which may be closed already} */
    @Nullable
    Hold top(Thread thread) {
        int slot = slotOf(thread);
        Hold inSlot = slots.get(slot);
        return inSlot != null && inSlot.thread == thread ? inSlot : aside(thread, slot);
    }

    /** {@return the hold that {@code thread}, the current one, has parked: then it has none that is open} */
    @Nullable
    Hold parked(Thread thread) {
        Hold inSlot = slots.get(slotOf(thread));
        return inSlot != null && inSlot.thread == thread && inSlot.isParked() ? inSlot : null;
    }

    /** Forgets a hold that {@code thread}, the current one, has parked. */
    void forgetParked(Hold parked, Thread thread) {
        slots.compareAndSet(slotOf(thread), parked, null);
    }

    /**
     * Asks the map only if it may have anything for the slot: a thread's hash code is dear the first time. The map's own
     * size won't do, for it adds up counts that change meanwhile, and may say 0 while this thread is in it.
     */
    private @Nullable Hold aside(Thread thread, int slot) {
        return overflowing.get(slot) == 0 ? null : overflow.get(thread);
    }

    /** {@return the newest hold of {@code thread} that is open} */
    @Nullable
    Hold topOpen(Thread thread) {
        return open(top(thread));
    }

    /** {@return {@code hold}, or the first below it that is open} */
    static @Nullable Hold open(@Nullable Hold hold) {
        Hold h = hold;
        while (h != null && !h.isOpen()) {
            h = h.below;
        }
        return h;
    }

    /** Puts {@code hold} on top for its thread, the current one, which has none yet and is set in it. */
    void pushFirst(Hold hold, Thread thread) {
        // Without a look at the slot, which another core has had: that would be fetched twice.
        if (!slots.compareAndSet(slotOf(thread), null, hold)) {
            push(hold, thread);
        }
    }

    /** Puts {@code hold} on top for its thread, the current one. */
    void push(Hold hold, Thread thread) {
        hold.thread = thread;
        int slot = slotOf(thread);
        for (; ; ) {
            Hold inSlot = slots.get(slot);
            if (inSlot != null && inSlot.thread == thread) {
                if (inSlot.isOpen()) {
                    inSlot.keepFromParking();
                }
                hold.below = compact(inSlot);
                if (slots.compareAndSet(slot, inSlot, hold)) {
                    return;
                }
                continue;
            }
            Hold aside = aside(thread, slot);
            if (aside != null) {
                hold.keepFromParking();
                hold.below = compact(aside);
                if (overflow.replace(thread, aside, hold)) {
                    return;
                }
                continue;
            }
            if (hold.below != null) {
                hold.below = null; // from an attempt before
            }
            if (inSlot == null || isLeftBehind(inSlot)) {
                if (slots.compareAndSet(slot, inSlot, hold)) {
                    return;
                }
                continue;
            }
            hold.keepFromParking();
            if (putAside(thread, hold, slot)) {
                return;
            }
        }
    }

    /** {@return whether a hold was parked by a thread that has ended} */
    private static boolean isLeftBehind(Hold hold) {
        Thread owner = hold.thread;
        return owner != null && hold.isParked() && !owner.isAlive();
    }

    private boolean putAside(Thread thread, Hold hold, int slot) {
        boolean put = false;
        overflowing.incrementAndGet(slot);
        try {
            put = overflow.putIfAbsent(thread, hold) == null;
            return put;
        } finally {
            if (!put) {
                // A map that finds no memory to grow has the entry all the same.
                overflow.remove(thread, hold);
                overflowing.decrementAndGet(slot);
            }
        }
    }

    /** Unlinks what is closed from a chain, by its own thread: hand over hand, a chain would grow for ever. */
    private static @Nullable Hold compact(Hold top) {
        Hold first = open(top);
        for (Hold h = first; h != null; h = h.below) {
            h.below = open(h.below);
        }
        return first;
    }

    /** Takes closed holds off the top for {@code thread}. */
    void prune(Thread thread) {
        int slot = slotOf(thread);
        for (; ; ) {
            Hold top = top(thread);
            if (top == null || !top.isGone()) {
                return;
            }
            Hold below = open(top.below);
            if (slots.get(slot) == top) {
                slots.compareAndSet(slot, top, below);
            } else if (below == null) {
                if (overflow.remove(thread, top)) {
                    overflowing.decrementAndGet(slot);
                }
            } else {
                overflow.replace(thread, top, below);
            }
        }
    }

    /**
     * Takes off a hold that is open still, and the only one of {@code thread}, the current one: while it is open, nobody
     * else changes its slot, so a release write is enough.
     *
     * @return false if it isn't in its slot
     */
    boolean removeAlone(Hold hold, Thread thread) {
        int slot = slotOf(thread);
        if (slots.get(slot) != hold) {
            return false;
        }
        slots.setRelease(slot, null);
        return true;
    }

    /** Shows every open hold. One that is registered or closed meanwhile may be missed or shown. */
    void forEachOpen(Consumer<Hold> action) {
        for (int i = 0; i < slots.length(); i++) {
            forEachOpen(slots.get(i), action);
        }
        overflow.values().forEach(top -> forEachOpen(top, action));
    }

    /** Shows every open hold from {@code top} down. */
    static void forEachOpen(@Nullable Hold top, Consumer<Hold> action) {
        for (Hold h = open(top); h != null; h = open(h.below)) {
            action.accept(h);
        }
    }
}
