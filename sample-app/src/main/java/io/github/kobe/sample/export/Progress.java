package io.github.kobe.sample.export;

/** How far an export is: written by the one thread that runs it, read by all. */
final class Progress {

    private final int of;
    private volatile boolean started;
    private volatile int built;

    Progress(int of) {
        this.of = of;
    }

    void started() {
        started = true;
    }

    void built(int reports) {
        built = reports;
    }

    boolean isStarted() {
        return started;
    }

    int built() {
        return built;
    }

    int of() {
        return of;
    }
}
