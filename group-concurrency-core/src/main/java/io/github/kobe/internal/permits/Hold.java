package io.github.kobe.internal.permits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one group that are out together, a concurrency permit and an in-flight permit, and the global permit
 * behind them: their own, or one that they share.
 *
 * <p>A call inside of another hold of its thread is <em>carried</em> by that one: its thread leaves it first, so it
 * needs no global permit, and no count in that of the other. It is counted there only once it may outlive the other
 * ({@link #outlive}).
 *
 * <p>Several may keep it out: its thread until that closes it, and whoever shares it. The last of them returns the
 * permits, on whichever thread that is.
 *
 * <p>Everything that a close depends on is in one {@link #state}. So a close is one atomic change, and the state before
 * it says what to return. {@code docs/internals/concurrency.md} lists the states and who causes each change.
 *
 * <p>It has 32 bytes, because {@code call} may make one each time.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public class Hold {

    /** How many keep it out; one of them is its thread, until that has closed it. Zero is final, unless it is parked. */
    private static final int KEEPS = (1 << 20) - 1;

    /** Where {@link Holds} has it: a number with a sign, in the bits above the keeps. */
    private static final int PLACE_SHIFT = 20;

    private static final int PLACE_BITS = 3;
    private static final int PLACE = ((1 << PLACE_BITS) - 1) << PLACE_SHIFT;

    /** Its own global permit is shared, by what was asked for from inside. */
    private static final int SHARES = 1 << 23;
    /** It has no global permit of its own: it shares another hold's, or is carried by the one below, then with no {@link #shared}. */
    private static final int NESTED = 1 << 24;
    /** Its permits of the group are lent; changed under the ledger's lock. */
    private static final int LENT = 1 << 25;
    /** It was granted on the permits of a lender. */
    private static final int BORROWED = 1 << 26;
    /** A stage keeps its in-flight permits, the global one included. */
    private static final int STAGE_OPEN = 1 << 27;
    /** It was registered on top of another one. */
    private static final int HAS_BELOW = 1 << 28;
    /** Its thread may park it. Alone: closed, and kept by its thread for the next call. */
    private static final int PARKABLE = 1 << 29;
    /** The one who got it has closed it: its thread is outside. */
    private static final int CLOSED = 1 << 30;
    /** Its thread offers what it has, also by it. User code that is told of something meanwhile gets nothing carried by it. */
    private static final int OFFERED = 1 << 31;

    /** What makes a close more than to give back three permits. */
    private static final int NOT_PLAIN = SHARES | NESTED | BORROWED | STAGE_OPEN;

    /** Nothing but its thread keeps it out, on permits of its own that go back together, with nothing below. */
    private static final int SOLE = 1;
    /** Nothing but its thread keeps it out, on the permits of the group alone, if it is carried. */
    private static final int CARRIED = SOLE | NESTED | HAS_BELOW;

    private static final int SOLE_AND_PARKABLE = SOLE | PARKABLE;
    private static final int CARRIED_AND_PARKABLE = CARRIED | PARKABLE;
    private static final int PARKED = PARKABLE;

    private static final VarHandle STATE;
    private static final VarHandle BELOW;
    private static final VarHandle SHARED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Hold.class, "state", int.class);
            BELOW = lookup.findVarHandle(Hold.class, "below", Hold.class);
            SHARED = lookup.findVarHandle(Hold.class, "shared", SharedGlobal.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** The thread that is inside the group by it; {@code null}: none is. Set before it is registered in {@link Holds}. */
    public @Nullable Thread thread;
    /** Changed only by its thread, while it is parked. */
    public Group group;
    /** The one below of the same thread; see {@link Holds}. */
    public volatile @Nullable Hold below;

    private volatile int state;

    /** The global permit that it shares, if it does; set once. While it is {@code null}, one that is nested is carried. */
    private volatile @Nullable SharedGlobal shared;

    /** Makes an open one, with a global permit of its own. */
    public Hold(Group group) {
        this.group = group;
        // Plainly, here and wherever nobody else knows it yet: a volatile write would cost a fence.
        STATE.set(this, SOLE);
    }

    /** Makes an open one that has joined {@code joined}. */
    public Hold(Group group, SharedGlobal joined) {
        this.group = group;
        SHARED.set(this, joined);
        STATE.set(this, NESTED | 1);
    }

    // ---- before others know it, or by its thread

    /** Lets its thread park it. */
    public final void setParkable() {
        STATE.set(this, SOLE_AND_PARKABLE);
    }

    /** Has it be carried by {@code open}, the newest open one of its thread. */
    public final void setCarriedBy(Hold open) {
        // One that is parked on top of another that can be parked is found again; a third isn't.
        int s = open.state & (PARKABLE | HAS_BELOW);
        STATE.set(this, SOLE | NESTED | (s == PARKABLE ? PARKABLE : 0));
    }

    /** {@return whether it is on the permits of a lender} */
    final boolean isBorrowed() {
        return wasBorrowed(state);
    }

    /** Notes that it is on the permits of a lender. */
    public final void setBorrowed() {
        STATE.set(this, (int) STATE.get(this) | BORROWED);
    }

    /**
     * Notes where it is registered, by the thread that is about to do it. In any place but the first its thread wouldn't
     * look for what it has parked.
     */
    final void setPlace(int place, @Nullable Hold onTopOf) {
        int s = (int) STATE.get(this) & ~(PLACE | HAS_BELOW | OFFERED | (place == 0 ? 0 : PARKABLE));
        int above = onTopOf == null ? 0 : HAS_BELOW | (onTopOf.state & OFFERED);
        STATE.set(this, s | ((place << PLACE_SHIFT) & PLACE) | above);
        BELOW.set(this, onTopOf);
    }

    /** Its permits were taken at that time of the engine's clock, unless that is 0 or less. So its time need not be read again. */
    public final void takenAt(long taken) {
        if (taken > 0 && group.record.isTimed()) {
            beginAt(taken);
        }
    }

    /** Its time begins at that time of the engine's clock, if anybody wants to know. */
    public void beginAt(long now) {}

    // ---- what it is

    final int place() {
        return state << (Integer.SIZE - PLACE_SHIFT - PLACE_BITS) >> (Integer.SIZE - PLACE_BITS);
    }

    public final boolean isParked() {
        return state == PARKED;
    }

    /** {@return whether its thread is inside the group by it} */
    public final boolean isOpen() {
        return isOpen(state);
    }

    private static boolean isOpen(int s) {
        return (s & KEEPS) != 0 && (s & CLOSED) == 0;
    }

    /** {@return whether {@link Holds} may forget it} One that is parked on top of another goes with that. */
    final boolean isGone() {
        int s = state;
        if (s != PARKED) {
            return !isOpen(s);
        }
        Hold carrier = below;
        return carrier != null && carrier.isGone();
    }

    public final boolean isLent() {
        return (state & LENT) != 0;
    }

    /** {@return whether its thread is inside of another hold by it, and it has no permits of a group} */
    public boolean isInside() {
        return false;
    }

    /** {@return what its thread is inside of by it} */
    public Hold real() {
        return this;
    }

    /** {@return what its permits are lent on, if it knows that itself} */
    public @Nullable Lent loan() {
        return null;
    }

    /** {@return what its start was charged of the group's rates; {@code null}: nothing} */
    public @Nullable Charge charge() {
        return null;
    }

    /** Notes what its start was charged; before it is registered, or handed out. */
    public void charged(@Nullable Charge taken) {}

    /** Nobody keeps it out any more, and what it stands for is about to go back; on the thread of the last one. */
    public void ending() {}

    /** What it stood for is back; no lock is held. */
    public void ended() {}

    /** One of the two parts that keep its permits has ended, if a stage follows its code; true for the second of them. */
    public boolean endsLastPart() {
        throw new AssertionError("no stage follows");
    }

    /** {@return what is known of it while it stands for permits of {@code of}} By any thread. */
    public Particulars particulars(Group of) {
        return Particulars.NONE;
    }

    /**
     * {@return the stripe of {@link Credits} that its global permit belongs to} That of its thread, so that threads of one
     * group don't contend for it; but of the group where another thread takes it than gives it back.
     */
    public int stripe() {
        Thread owner = thread;
        return owner == null ? group.home : stripeOf(owner);
    }

    public static int stripeOf(Thread owner) {
        return (int) owner.threadId();
    }

    // ---- from call to call of a platform thread

    /**
     * Closes it for its thread and keeps it for that thread's next call, which thus needs no new one and no change to
     * {@link Holds}. Only if nothing else keeps it out, nothing but what carries it is under it, and the caller has seen that
     * nothing open is on top of it; the caller has to give the permits back.
     *
     * <p>By its thread, without which nobody begins to keep it; so if that finds it kept once, it has it alone, and a
     * release write is enough.
     */
    public final boolean park() {
        int s = state;
        if (s != SOLE_AND_PARKABLE && (s != CARRIED_AND_PARKABLE || shared != null)) {
            return false;
        }
        STATE.setRelease(this, PARKED);
        return true;
    }

    /** Opens what its thread has parked, on permits of its own, or carried by the one below again; by that thread. */
    public final void unpark(Group entered) {
        if (group != entered) {
            group = entered;
        }
        STATE.setRelease(this, below == null ? SOLE_AND_PARKABLE : CARRIED_AND_PARKABLE);
    }

    // ---- keeping and closing

    /** Has one more keep it out; false if nobody does any more. */
    public final boolean tryKeep() {
        for (; ; ) {
            int s = state;
            if ((s & KEEPS) == 0) {
                return false;
            }
            if ((s & KEEPS) == KEEPS) {
                throw new IllegalStateException("At most " + KEEPS + " may use a permit at once");
            }
            if (STATE.compareAndSet(this, s, s + 1)) {
                return true;
            }
        }
    }

    /** One that kept it out keeps it no longer; returns the state before. */
    final int endKeep() {
        return (int) STATE.getAndAdd(this, -1);
    }

    /** {@return whether {@link #closeSole} may close it} By its thread: nobody else can change that, as for {@link #park}. */
    final boolean isSole() {
        return (state & ~PLACE) == SOLE;
    }

    /** Closes it for good, if nobody else keeps it and it is not registered; by its thread. */
    public final void closeSole() {
        STATE.setRelease(this, 0);
    }

    /** Closes it for its thread, which does so once; returns the state before. */
    public final int closeForThread() {
        return (int) STATE.getAndAdd(this, CLOSED - 1);
    }

    /** Closes it for the one who got it, unless that is done; returns the state before. */
    public final int closeOwn() {
        for (; ; ) {
            int s = state;
            if ((s & CLOSED) != 0 || STATE.compareAndSet(this, s, (s - 1) | CLOSED)) {
                return s;
            }
        }
    }

    /** {@return whether the one who got it has closed it} */
    public final boolean isClosed() {
        return wasClosed(state);
    }

    // ---- what the state before a close says

    /** {@return whether the one who got it had closed it} */
    public static boolean wasClosed(int before) {
        return (before & CLOSED) != 0;
    }

    /** {@return whether that was the last that kept it out, and the caller has to give the permits back} */
    public static boolean wasLast(int before) {
        return (before & KEEPS) == 1;
    }

    /** {@return whether three permits go back, and that is all} */
    static boolean wasPlain(int before) {
        return (before & NOT_PLAIN) == 0;
    }

    /** {@return whether it shares a global permit, its own or another's} */
    static boolean wasSharing(int before) {
        return (before & (SHARES | NESTED)) != 0;
    }

    /** {@return whether it is on the permits of a lender} */
    static boolean wasBorrowed(int before) {
        return (before & BORROWED) != 0;
    }

    /** {@return whether it is neither borrowed, nor kept by a stage} */
    static boolean wasSharer(int before) {
        return (before & (BORROWED | STAGE_OPEN)) == 0;
    }

    /** {@return whether the global permit that it shares is another's} */
    static boolean wasNested(int before) {
        return (before & NESTED) != 0;
    }

    static boolean wasStageOpen(int before) {
        return (before & STAGE_OPEN) != 0;
    }

    // ---- the global permit

    /** {@return the global permit that it shares; {@code null}: it has its own alone} */
    public final @Nullable SharedGlobal shared() {
        return shared;
    }

    /** {@return whether it is carried by the one below of its thread} By its thread, or while that lends it. */
    public final boolean isCarried() {
        return (state & NESTED) != 0 && shared == null;
    }

    /** {@return whether it shares the global permit of another} */
    public final boolean isNested() {
        return (state & NESTED) != 0;
    }

    /** {@return whether it shares a global permit, its own or another's} */
    public final boolean sharesGlobal() {
        return (state & (SHARES | NESTED)) != 0;
    }

    /** {@return as what it leaves a global permit that it shares, after the last close} */
    final long leavesAs(int before) {
        return thread == null || wasClosed(before) ? SharedGlobal.UNBOUND : SharedGlobal.BOUND;
    }

    /** Has it share {@code joined}, which was joined for it; before anyone else knows it. */
    public final void joined(SharedGlobal joined) {
        SHARED.set(this, joined);
        STATE.set(this, (int) STATE.get(this) | NESTED);
    }

    /** {@return its global permit, for others to join} By its thread, by one that keeps it out, or while its thread lends it. */
    public final SharedGlobal share() {
        return carrier().shareOwn();
    }

    /** {@return what it shares, or who else keeps it out may yet share; {@code null}: nothing} By its thread. */
    final @Nullable SharedGlobal shareIfKept() {
        return (state & KEEPS) > 1 ? share() : shared;
    }

    /** {@return the global permit that it stands on; {@code null}: nobody has joined that yet} As {@link #share}. */
    public final @Nullable SharedGlobal sharedSoFar() {
        return carrier().shared;
    }

    /** {@return whose global permit it stands on, if that is not shared: its own, or that of what carries it} */
    private Hold carrier() {
        Hold holder = this;
        while (holder.isCarried()) {
            holder = Objects.requireNonNull(holder.below); // which is open as long as what it carries
        }
        return holder;
    }

    /**
     * Has it share the global permit of what carries it, if it is carried, since others are to keep it out; by its thread.
     */
    public final void outlive() {
        if (!isCarried()) {
            return;
        }
        SharedGlobal joined = share();
        Ledger ledger = group.ledger;
        boolean offered = isOffered(); // then others may be about to lend it, who count what is shared
        if (offered) {
            ledger.lock();
        }
        try {
            joined.joinFromInside(SharedGlobal.BOUND);
            shared = joined;
        } finally {
            if (offered) {
                ledger.unlock();
            }
        }
        group.carriedShares();
    }

    private SharedGlobal shareOwn() {
        SharedGlobal made = shareUnlessMarked();
        for (; ; ) {
            int s = state;
            if ((s & (SHARES | NESTED)) != 0) {
                return made;
            }
            if (STATE.compareAndSet(this, s, s | SHARES)) {
                if (wasClosed(s) && thread != null) {
                    // Its thread, when it closed it, did not see that it shares.
                    made.unbind();
                }
                return made;
            }
        }
    }

    private SharedGlobal shareUnlessMarked() {
        SharedGlobal known = shared;
        if (known != null) {
            return known;
        }
        SharedGlobal made = new SharedGlobal(group, thread == null ? SharedGlobal.UNBOUND : SharedGlobal.BOUND);
        SharedGlobal faster = (SharedGlobal) SHARED.compareAndExchange(this, null, made);
        return faster == null ? made : faster;
    }

    // ---- lending

    /** {@return whether its thread offers what it has, so that user code may run amid a wait} By its thread. */
    public final boolean isOffered() {
        return (state & OFFERED) != 0;
    }

    /** Its thread begins to offer what it has; false if it does already. By its thread. */
    public final boolean beginOffer() {
        return ((int) STATE.getAndBitwiseOr(this, OFFERED) & OFFERED) == 0;
    }

    /** Its thread offers nothing any more, and has everything again. By its thread. */
    public final void endOffer() {
        STATE.getAndBitwiseAnd(this, ~OFFERED);
    }

    // ---- lending, under the ledger's lock

    /** Marks its permits of the group as lent, which the lender keeps out meanwhile. */
    public final void lend() {
        STATE.getAndBitwiseOr(this, LENT);
    }

    /** They are lent no longer. */
    public final void endLoan() {
        STATE.getAndBitwiseAnd(this, ~LENT);
    }

    /** A stage takes its in-flight permits over; by its thread, which is inside by it. */
    public final void setStageOpen() {
        STATE.getAndBitwiseOr(this, STAGE_OPEN);
    }
}
