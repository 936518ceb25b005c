package io.github.kobe.sample.export;

enum ExportState {
    /** Accepted; other exports of the tenant come first. */
    QUEUED,
    RUNNING,
    /** The file is there. */
    DONE,
    FAILED,
    CANCELLED
}
