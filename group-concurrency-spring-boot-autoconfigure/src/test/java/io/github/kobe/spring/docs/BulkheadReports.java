package io.github.kobe.spring.docs;

import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import java.time.Duration;

/** What the howto on Resilience4j shows of the time before. */
class BulkheadReports {

    private final ReportStore reports = new ReportStore();

    private final BulkheadRegistry bulkheads = BulkheadRegistry.of(BulkheadConfig.custom()
            .maxConcurrentCalls(4)
            .maxWaitDuration(Duration.ofSeconds(5))
            .build());

    Report build(String tenantId) {
        return bulkheads.bulkhead("tenant:" + tenantId).executeSupplier(() -> reports.buildFor(tenantId));
    }
}
