package io.github.kobe.internal.permits;

/** What of a hold its group shows, where its thread doesn't. */
public abstract class Shown extends UnboundPermits.Entry {

    public abstract Hold hold();

    /** {@return the task id, if the hold doesn't know it} */
    public abstract String id();
}
