package io.github.kobe.internal.base;

/**
 * How far the end of an executor has come. {@code Lifecycle} changes it under the ledger's lock, after which the ledger is
 * on for good: every group is slow from then on, and its next critical section sees the new stage. So the fast path need
 * not read it. Read by anyone.
 *
 * <pre>
 *   RUNNING   -> DRAINING    shutdown(Duration)
 *   RUNNING   -> SHUT_DOWN   shutdown()
 *   DRAINING  -> SHUT_DOWN   the draining thread, when all is quiet (nothing forced) or its time is up; any shutdown()
 *   SHUT_DOWN -> forced      any shutdown(), if the code that drained from inside still runs
 * </pre>
 */
public final class Stage {

    private enum State {
        RUNNING,
        DRAINING,
        SHUT_DOWN
    }

    private volatile State state = State.RUNNING;
    /** Whether what waited or ran when it was shut down was ended by force. Written before the state. */
    private volatile boolean forced;
    /** Whether a drain has ended what waited in paused groups, or a shutdown stages that have no permits. */
    private volatile boolean endedAside;

    public boolean isRunning() {
        return state == State.RUNNING;
    }

    public boolean isDraining() {
        return state == State.DRAINING;
    }

    /** {@return whether it is shut down, and no drain goes on any more} */
    public boolean isOver() {
        return state == State.SHUT_DOWN;
    }

    /** {@return whether what runs is to be stopped} */
    public boolean isForced() {
        return state == State.SHUT_DOWN && forced;
    }

    /** {@return whether nothing was ended by force so far, nor aside} */
    public boolean isClean() {
        return !forced && !endedAside;
    }

    public void beginDrain() {
        state = State.DRAINING;
    }

    /** It is shut down; {@code force}: what waits and runs is ended. */
    public void end(boolean force) {
        forced |= force;
        state = State.SHUT_DOWN;
    }

    /** Something was ended that is not what waits or runs when it is shut down; by anyone. */
    public void endedAside() {
        endedAside = true;
    }
}
