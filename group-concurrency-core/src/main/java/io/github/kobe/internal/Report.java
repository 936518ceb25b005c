package io.github.kobe.internal;

import org.jspecify.annotations.Nullable;

/** A report that may call user code, and so runs on a fresh virtual thread: see {@link Dispatcher#report}. */
abstract class Report implements Runnable {

    /** The next that waits for a thread; guarded by the housekeeper's lock while that keeps it. */
    @Nullable
    Report next;
}
