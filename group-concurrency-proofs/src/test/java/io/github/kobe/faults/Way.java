package io.github.kobe.faults;

/** A way on which work gets into an executor, waits there, and gets out. */
public interface Way {

    /** Takes it; what it has let in is to be ended by the site. */
    void take(Site site) throws Exception;
}
