package io.github.kobe.internal.base;

/** A report that may call user code, and so runs on a fresh virtual thread: see {@link Core#report}. */
public abstract class Report extends Linked implements Runnable {

    @Override
    public final void again(Core core) {
        core.report(this);
    }
}
