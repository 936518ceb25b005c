package io.github.kobe.sample.fleet;

/** What a server does with a new configuration. */
enum Behaviour {
    /** Runs it at once. */
    OK,
    /** Runs it some time later. */
    LAG,
    /** Takes it, and goes on with the old one. */
    WRONG,
    /** Isn't there: connections are refused. */
    DOWN,
    /** Takes every request, and never answers. */
    HANG
}
