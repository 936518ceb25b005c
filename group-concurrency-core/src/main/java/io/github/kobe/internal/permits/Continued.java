package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Later;
import org.jspecify.annotations.Nullable;

/** What a {@link Batch} goes on with after a critical section of it: a group. */
interface Continued extends Later {

    /**
     * Decides what was {@linkplain Batch#leavesOff left}, another portion at most.
     *
     * @param batch {@code null}: there is no memory for one
     */
    void goOn(@Nullable Batch batch);

    /** It has nothing to do: tells those who keep what is idle. */
    void offerAsIdle(Batch batch);
}
