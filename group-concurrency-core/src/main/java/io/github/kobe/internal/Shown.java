package io.github.kobe.internal;

/** What of a hold its group shows, where its thread doesn't. */
abstract class Shown extends UnboundPermits.Entry {

    abstract Hold hold();

    /** {@return the task id, if the hold doesn't know it} */
    abstract String id();
}
