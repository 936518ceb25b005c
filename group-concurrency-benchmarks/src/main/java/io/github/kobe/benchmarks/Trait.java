package io.github.kobe.benchmarks;

/** What some contestants have and others lack. */
enum Trait {
    LIMITS("no limit per group"),
    CAPS("no limit over all groups"),
    CALLS("no form for the caller's own thread"),
    PERMITS("no permit as an object"),
    BACKLOGS("each release wakes all that wait, which is quadratic"),
    CANCELS("a waiter that has been cancelled is still handed the permit, which is lost so"),
    ADVICE("no annotation"),
    METERS("no meters"),
    SCOPES("its preview is that of JDK 25 alone");

    private final String lack;

    Trait(String lack) {
        this.lack = lack;
    }

    /** {@return why somebody without it doesn't take part} */
    String lack() {
        return lack;
    }
}
