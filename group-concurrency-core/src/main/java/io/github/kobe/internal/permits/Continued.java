package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Later;

/** What a {@link Batch} goes on with after a critical section of it: a group. */
interface Continued extends Later {

    /** Decides what was {@linkplain Batch#leavesOff left}, another portion at most. */
    void goOn(Batch batch);

    /** It has nothing to do: tells those who keep what is idle. */
    void offerAsIdle(Batch batch);
}
