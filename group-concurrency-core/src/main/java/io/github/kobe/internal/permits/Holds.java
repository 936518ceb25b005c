package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Removal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a thread holds: the newest {@link Hold}, and through {@link Hold#below} the older ones. It is used for
 * re-entry, lending, and the interrupts of a shutdown.
 *
 * <p>A table of slots by thread id has nearly all of them. A thread that finds its slot taken by another tries
 * {@linkplain Wider wider tables}, which are made when they are needed, and finally a map. All holds of a thread are in
 * one {@linkplain Hold#place place}, while it has any.
 *
 * <p>Only the thread itself puts a hold on top. Any thread that meets a {@linkplain Hold#isGone gone} hold on top takes
 * it off; further down it is unlinked when its thread adds the next one.
 *
 * <p>A platform thread leaves the hold of its last call in its slot, {@linkplain Hold#park parked}, for its next call.
 * Platform threads have slots of their own, so that parked holds don't take the slots of tasks. The next thread with
 * the same slot takes it over once the one that parked has ended. On top of it there may be a second one, parked too,
 * for the next call inside of the next call. A virtual thread is expected to make few calls.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Holds {

    private static final int SLOT_BITS = 10;
    /** Half for virtual threads, half for platform threads. */
    static final int SLOTS = 2 << SLOT_BITS;
    /** Fibonacci hashing: 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming, 6.4). */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** Places: the slots, the wider tables from 1 up, the map. */
    private static final int IN_SLOT = 0;

    private static final int IN_MAP = -1;

    /** Each wider table has so many times the slots of the one before. */
    private static final int WIDENING_BITS = 3;

    /** The last has half a million slots: 2 MB with compressed pointers. */
    private static final int MOST_WIDER = 3;

    /** A wider table is made when the map has a sixteenth of its slots, and is kept. */
    private static final int SPARSE_BITS = 4;

    private static final VarHandle WIDER;

    static {
        try {
            WIDER = MethodHandles.lookup().findVarHandle(Holds.class, "wider", Wider[].class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final AtomicReferenceArray<@Nullable Hold> slots = new AtomicReferenceArray<>(SLOTS);
    private volatile Wider[] wider = {};
    private final ConcurrentHashMap<Thread, Hold> overflow = new ConcurrentHashMap<>();

    /** How many threads of each slot may be in the map: raised before one is put there, lowered after it was removed. */
    private final AtomicIntegerArray overflowing = new AtomicIntegerArray(SLOTS);

    /** Slots for when thousands of tasks run at once, nearly all of them blocked: asking the map takes several times as long. */
    private static final class Wider {
        private final int bits;
        private final AtomicReferenceArray<@Nullable Hold> slots;

        Wider(int bits) {
            this.bits = bits;
            this.slots = new AtomicReferenceArray<>(1 << bits);
        }

        @Nullable
        Hold get(Thread thread) {
            return slots.get(hash(thread, bits));
        }

        boolean replace(Thread thread, @Nullable Hold top, @Nullable Hold next) {
            return slots.compareAndSet(hash(thread, bits), top, next);
        }
    }

    static int slotOf(Thread thread) {
        int slot = hash(thread, SLOT_BITS);
        return thread.isVirtual() ? slot : slot + (1 << SLOT_BITS);
    }

    private static int hash(Thread thread, int bits) {
        return (int) ((thread.threadId() * SPREAD) >>> (Long.SIZE - bits));
    }

    /** {@return the newest hold of {@code thread}, which may be closed already} */
    @Nullable
    Hold top(Thread thread) {
        int slot = slotOf(thread);
        Hold inSlot = slots.get(slot);
        if (inSlot != null && inSlot.thread == thread) {
            return inSlot;
        }
        Wider[] tables = wider;
        for (int i = tables.length; --i >= 0; ) {
            Hold inTable = tables[i].get(thread);
            if (inTable != null && inTable.thread == thread) {
                return inTable;
            }
        }
        return inMap(thread, slot);
    }

    /** {@return the hold that {@code thread}, the current one, has parked: then it has none that is open} */
    public @Nullable Hold parked(Thread thread) {
        Hold inSlot = slots.get(slotOf(thread));
        if (inSlot == null || inSlot.thread != thread || !inSlot.isParked()) {
            return null;
        }
        Hold carrier = inSlot.below;
        if (carrier == null) {
            return inSlot;
        }
        return carrier.isParked() ? carrier : null;
    }

    /** {@return what {@code thread}, the current one, has parked to be carried by {@code open}} */
    public @Nullable Hold parkedOn(Hold open, Thread thread) {
        Hold inSlot = slots.get(slotOf(thread));
        return inSlot != null && inSlot.below == open && inSlot.isParked() ? inSlot : null;
    }

    /** {@return whether {@code hold} of {@code thread}, the current one, is in its slot, with nothing open on top of it} */
    public boolean isOnTop(Hold hold, Thread thread) {
        return slots.get(slotOf(thread)) == hold || parkedOn(hold, thread) != null;
    }

    /** Forgets a hold that {@code thread}, the current one, has parked, and what is on top of it. */
    public void forgetParked(Hold parked, Thread thread) {
        int slot = slotOf(thread);
        Hold inSlot = slots.get(slot);
        if (inSlot != null && (inSlot == parked || inSlot.below == parked)) {
            slots.compareAndSet(slot, inSlot, parked.below);
        }
    }

    /** Forgets what threads have parked that have ended since, and so the threads, with their context class loaders. */
    public void forgetLeftBehind() {
        for (int slot = 0; slot < SLOTS; slot++) {
            Hold inSlot = slots.get(slot);
            if (inSlot != null && isLeftBehind(inSlot)) {
                slots.compareAndSet(slot, inSlot, null);
            }
        }
    }

    /**
     * Asks the map only if it may have anything for the slot. The map's own size won't do, for it adds up counts that change
     * meanwhile, and may say 0 while this thread is in it.
     */
    private @Nullable Hold inMap(Thread thread, int slot) {
        return overflowing.get(slot) == 0 ? null : overflow.get(thread);
    }

    /** {@return the newest hold of {@code thread} that is open} */
    public @Nullable Hold topOpen(Thread thread) {
        return open(top(thread));
    }

    /** {@return {@code hold}, or the first below it that is open} */
    public static @Nullable Hold open(@Nullable Hold hold) {
        Hold h = hold;
        while (h != null && !h.isOpen()) {
            h = h.below;
        }
        return h;
    }

    /** {@return whether a thread is inside of {@code group} by {@code open}, or by one below} Then the group can't be dead. */
    public static boolean isInside(Group group, @Nullable Hold open) {
        Hold h = open;
        while (h != null && h.group != group) {
            h = open(h.below);
        }
        return h != null;
    }

    /** Puts {@code hold} on top for its thread, the current one, which has none yet and is set in it. */
    public void pushFirst(Hold hold, Thread thread) {
        // Without a look at the slot, which another core has had: that would be fetched twice.
        if (!slots.compareAndSet(slotOf(thread), null, hold)) {
            while (!pushAsFirst(hold, thread)) {
                // another thread was faster
            }
        }
    }

    /** Puts {@code hold} on top for its thread, the current one. */
    public void push(Hold hold, Thread thread) {
        hold.thread = thread;
        for (; ; ) {
            Hold top = top(thread);
            if (top == null) {
                if (pushAsFirst(hold, thread)) {
                    return;
                }
                continue;
            }
            hold.setPlace(top.place(), compact(top));
            if (replace(thread, top, hold)) {
                return;
            }
        }
    }

    /** Puts {@code hold} where there is room for it, for a thread that has none. */
    private boolean pushAsFirst(Hold hold, Thread thread) {
        hold.setPlace(IN_SLOT, null); // also if it was to be elsewhere in an attempt before
        int slot = slotOf(thread);
        Hold inSlot = slots.get(slot);
        // No virtual thread leaves one behind, and to look at the hold of another core's thread takes long.
        if (inSlot == null || (!thread.isVirtual() && isLeftBehind(inSlot))) {
            return slots.compareAndSet(slot, inSlot, hold);
        }
        Wider[] tables = wider;
        for (int i = tables.length; --i >= 0; ) { // the widest first, since those before it are full
            hold.setPlace(i + 1, null);
            if (tables[i].get(thread) == null && tables[i].replace(thread, null, hold)) {
                return true;
            }
        }
        hold.setPlace(IN_MAP, null);
        boolean put = putInMap(thread, hold, slot);
        try {
            widenIfCrowded(tables);
        } catch (OutOfMemoryError | StackOverflowError exhausted) {
            // The map does it, too. The hold is in it, so nothing must come of this.
        }
        return put;
    }

    /** Has {@code next} be on top instead of {@code top}, which is on top unless this returns false. */
    private boolean replace(Thread thread, Hold top, @Nullable Hold next) {
        int place = top.place();
        if (place == IN_SLOT) {
            return slots.compareAndSet(slotOf(thread), top, next);
        }
        if (place != IN_MAP) {
            return wider[place - 1].replace(thread, top, next);
        }
        if (next != null) {
            return overflow.replace(thread, top, next);
        }
        boolean removed = Removal.from(overflow, thread, top);
        if (removed) {
            overflowing.decrementAndGet(slotOf(thread));
        }
        return removed;
    }

    /** Makes one more table, where there is none yet, if many threads are in the map. */
    private void widenIfCrowded(Wider[] tables) {
        int bits = SLOT_BITS + WIDENING_BITS * (tables.length + 1);
        if (tables.length < MOST_WIDER && overflow.mappingCount() >= 1L << (bits - SPARSE_BITS)) {
            Wider[] more = Arrays.copyOf(tables, tables.length + 1);
            more[tables.length] = new Wider(bits);
            WIDER.compareAndSet(this, tables, more);
        }
    }

    /** {@return whether a hold was parked by a thread that has ended} */
    private static boolean isLeftBehind(Hold hold) {
        Thread owner = hold.thread;
        return owner != null && hold.isParked() && !owner.isAlive();
    }

    private boolean putInMap(Thread thread, Hold hold, int slot) {
        boolean put = false;
        overflowing.incrementAndGet(slot);
        try {
            put = overflow.putIfAbsent(thread, hold) == null;
            return put;
        } finally {
            if (!put) {
                // A map that finds no memory to grow has the entry all the same.
                boolean unused = Removal.from(overflow, thread, hold);
                overflowing.decrementAndGet(slot);
            }
        }
    }

    /** {@return whether {@code thread} has an open one of {@code group}} */
    public boolean hasOpen(Thread thread, GroupState group) {
        Hold h = topOpen(thread);
        while (h != null && h.group != group) {
            h = open(h.below);
        }
        return h != null;
    }

    /** {@return how many open ones of {@code thread} share {@code shared}} */
    public int countSharing(Thread thread, SharedGlobal shared) {
        int count = 0;
        for (Hold h = topOpen(thread); h != null; h = open(h.below)) {
            if (h.shared() == shared) {
                count++;
            }
        }
        return count;
    }

    /**
     * {@return what open ones of {@code thread} share, each once for each of them} What others keep out too counts, who may share
     * it later. By that thread.
     */
    public List<SharedGlobal> shared(Thread thread) {
        List<SharedGlobal> shared = List.of();
        for (Hold h = topOpen(thread); h != null; h = open(h.below)) {
            SharedGlobal one = h.shareIfKept();
            if (one != null) {
                shared = shared.isEmpty() ? new ArrayList<>(1) : shared;
                shared.add(one);
            }
        }
        return shared;
    }

    /** Unlinks what is closed from a chain, by its own thread: hand over hand, a chain would grow for ever. */
    private static @Nullable Hold compact(Hold top) {
        Hold first = open(top);
        for (Hold h = first; h != null; h = h.below) {
            Hold next = open(h.below);
            if (next != h.below) {
                h.below = next;
            }
        }
        return first;
    }

    /** Takes closed holds off the top for {@code thread}. */
    public void prune(Thread thread) {
        for (Hold top = top(thread); top != null && top.isGone(); top = top(thread)) {
            replace(thread, top, open(top.below));
        }
    }

    /**
     * Takes off a hold that is open still, and the newest one of {@code thread}, the current one: while it is open, nobody
     * else changes its slot, so a release write is enough.
     *
     * @return false if it isn't on top in a slot
     */
    public boolean removeNewest(Hold hold, Thread thread) {
        int place = hold.place();
        if (place == IN_MAP) {
            return false;
        }
        if (place == IN_SLOT) {
            return remove(hold, slots, slotOf(thread));
        }
        Wider table = wider[place - 1];
        return remove(hold, table.slots, hash(thread, table.bits));
    }

    private static boolean remove(Hold hold, AtomicReferenceArray<@Nullable Hold> from, int slot) {
        if (from.get(slot) != hold) {
            return false;
        }
        from.setRelease(slot, hold.below);
        return true;
    }

    /** Shows every open hold. One that is registered or closed meanwhile may be missed or shown. */
    public void forEachOpen(Consumer<Hold> action) {
        forEachOpen(slots, action);
        for (Wider table : wider) {
            forEachOpen(table.slots, action);
        }
        overflow.values().forEach(top -> forEachOpen(top, action));
    }

    private static void forEachOpen(AtomicReferenceArray<@Nullable Hold> tops, Consumer<Hold> action) {
        for (int i = 0; i < tops.length(); i++) {
            forEachOpen(tops.get(i), action);
        }
    }

    /** Shows every open hold from {@code top} down. */
    public static void forEachOpen(@Nullable Hold top, Consumer<Hold> action) {
        for (Hold h = open(top); h != null; h = open(h.below)) {
            action.accept(h);
        }
    }
}
