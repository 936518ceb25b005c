package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import io.github.kobe.scope.ScopeSnapshot.Owner;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a scope waits for. The owner sets it before it checks and parks. A thread that ends a fork reads
 * it, and wakes the owner if it can continue.
 */
@SuppressWarnings("ReferenceEquality") // scopes, forks and threads have identity
final class OwnerWait {

    /** Made beforehand: what is offered is withdrawn also for want of memory. */
    @SuppressWarnings("UnnecessaryLambda") // linking one takes memory
    private static final Runnable NOTHING = () -> {};

    private final OpenScope<?, ?, ?> scope;
    private final int mostForks;

    /** By the owner; {@code null}: it doesn't wait. */
    private volatile @Nullable Owner waiting;
    /** The fork that it waits for in {@code await}; by the owner. */
    private volatile @Nullable ForkedSubtask<?> awaited;

    /** @param mostForks how many may be unfinished before the owner's next fork waits; 0: any number */
    OwnerWait(OpenScope<?, ?, ?> scope, int mostForks) {
        this.scope = scope;
        this.mostForks = mostForks;
    }

    Owner doing() {
        Owner now = waiting;
        return now == null ? Owner.RUNNING : now;
    }

    /** Before the owner looks whether {@code fork} is over: if not, that wakes it. */
    void awaits(ForkedSubtask<?> fork) {
        awaited = fork;
    }

    /**
     * Waits, while forks may use what the owner's thread holds.
     *
     * @return whether it was interrupted; the flag is cleared then
     */
    boolean block(Owner kind, BooleanSupplier ready) {
        if (Thread.interrupted()) {
            return interrupted(kind, false);
        }
        if (ready.getAsBoolean()) {
            return false;
        }
        Runnable onInterrupt =
                () -> interrupted(kind, true); // before there is an offer, which would outlive a lack of memory
        waiting = kind;
        Object offers = null;
        boolean cut = false;
        try {
            if (ready.getAsBoolean()) { // who has seen it run doesn't wake it
                return false;
            }
            offers = ScopeBridge.offer(scope);
            while (!cut && !ready.getAsBoolean()) {
                scope.park(offers != null);
                cut = Thread.interrupted() && interrupted(kind, offers != null);
            }
        } finally {
            waiting = null;
            awaited = null;
            cut |= withdraw(offers, onInterrupt) && kind != Owner.FORKING && Thread.interrupted();
        }
        return cut;
    }

    /**
     * Before what is lent is waited for: who has it is to end. So then a wait for a fork's turn cancels the scope too, as the
     * owner's join is about to.
     */
    private boolean interrupted(Owner kind, boolean lent) {
        if (lent || kind != Owner.FORKING) {
            scope.cancelByOwner(Cause.INTERRUPTED, lent);
        }
        return true;
    }

    /**
     * Waits until nothing of the scope runs, waits or is told; through interrupts. What was cancelled may need what the
     * owner's thread holds to clean up.
     *
     * @return whether it was interrupted meanwhile
     */
    boolean awaitQuiet() {
        if (scope.forks.isQuiet()) {
            return false;
        }
        boolean interrupted = false;
        boolean mayOffer = waiting == null; // else user code closes it that is told amid a wait, which offers
        waiting = Owner.CLOSING;
        Object offers = mayOffer && !scope.forks.isQuiet() ? offerIfPossible() : null;
        while (!scope.forks.isQuiet()) {
            LockSupport.park(scope);
            interrupted |= Thread.interrupted();
        }
        waiting = null;
        interrupted |= withdraw(offers, NOTHING) && Thread.interrupted();
        return interrupted;
    }

    /** Offers what the owner holds, for a close, which can't fail. */
    private @Nullable Object offerIfPossible() {
        try {
            return ScopeBridge.offer(scope);
        } catch (StackOverflowError | OutOfMemoryError none) {
            return null;
        }
    }

    private static boolean withdraw(@Nullable Object offers, Runnable interrupted) {
        return offers != null && ScopeBridge.withdraw(offers, interrupted);
    }

    /** A fork is over, and so many of its kind are left: wakes the owner, if it can go on. */
    void over(ForkedSubtask<?> fork, long left) {
        boolean wakes = switch (doing()) {
            case RUNNING -> false;
            case FORKING -> left < mostForks;
            case AWAITING -> awaited == fork;
            case JOINING, CLOSING -> left == 0;
        };
        if (wakes) {
            LockSupport.unpark(scope.owner);
        }
    }

    /** The scope is cancelled. */
    void wake() {
        if (waiting != null) {
            LockSupport.unpark(scope.owner);
        }
    }
}
