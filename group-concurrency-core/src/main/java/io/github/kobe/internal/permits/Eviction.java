package io.github.kobe.internal.permits;

/** What became of a group that was evicted. */
public enum Eviction {
    /** It is dead. */
    GONE,
    /** It lives on, since something runs or waits. */
    IN_USE,
    /** It was dead before. */
    KNOWN_NO_MORE
}
