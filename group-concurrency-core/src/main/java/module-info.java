/** Runs work by key: groups in parallel, a limit inside each group, a cap over all, fair dispatch between them. */
module io.github.kobe.groupconcurrency {
    requires static jdk.jfr;
    requires static org.jspecify;

    exports io.github.kobe;
    exports io.github.kobe.cluster;
    exports io.github.kobe.scope;
}
