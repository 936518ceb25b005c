package io.github.kobe.compat;

import io.github.kobe.spring.annotation.GroupConcurrent;
import org.springframework.resilience.annotation.ConcurrencyLimit;

/** What the howto on {@code @ConcurrencyLimit} shows. */
class MigratedReports {

    private final ReportStore reports;

    MigratedReports(ReportStore reports) {
        this.reports = reports;
    }

    @ConcurrencyLimit(2)
    Report before(String tenantId) {
        return reports.buildFor(tenantId);
    }

    @GroupConcurrent(group = "tenant:#{#tenantId}")
    Report after(String tenantId) {
        return reports.buildFor(tenantId);
    }

    /** What is reported on a tenant. */
    record Report(String tenantId) {}

    /** Builds reports. */
    interface ReportStore {

        Report buildFor(String tenantId);
    }
}
