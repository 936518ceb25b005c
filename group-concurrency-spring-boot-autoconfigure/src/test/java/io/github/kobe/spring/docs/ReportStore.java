package io.github.kobe.spring.docs;

/** Builds reports, and keeps the last ones. */
class ReportStore {

    Report buildFor(String tenantId) {
        return new Report(tenantId, "new");
    }

    Report lastOf(String tenantId) {
        return new Report(tenantId, "last");
    }
}
