package io.github.kobe.internal.permits;

import org.jspecify.annotations.Nullable;

/** A global permit that several may share. */
abstract class Backing {

    static final long ONE_THREAD = 1L << 31;

    /** As what one shares it that belongs to no thread. */
    public static final long UNBOUND = 1;

    /** As what one shares it that is of a thread, which may be at work. */
    public static final long BOUND = UNBOUND + ONE_THREAD;

    /** The next of those that a {@link Batch} has to free; by the one who was the last to leave. */
    @Nullable
    Backing nextFreed;

    /** {@return whether {@link #tryJoin} may succeed} */
    abstract boolean isJoinable();

    /** {@return whether the last one has left, so that nobody can join any more} */
    abstract boolean isDead();

    /**
     * Has one more share it.
     *
     * @param as {@link #UNBOUND} or {@link #BOUND}; who leaves is to tell the same
     * @return false if it is lent or dead
     */
    abstract boolean tryJoin(long as);

    /** One leaves that has joined and has got no permit; what follows is for the batch. It needs no memory. */
    abstract void leaveUnused(long as, Batch batch);

    /** Frees the global permit, which the last one has left. */
    abstract void free(@Nullable Batch batch);
}
