package io.github.kobe.spring.docs;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.spring.annotation.GroupConcurrent;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The annotated methods that the docs show. */
@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the fallback, found by its name
class TenantReports {

    private final ReportStore reports;

    TenantReports(ReportStore reports) {
        this.reports = reports;
    }

    @GroupConcurrent(group = "tenant:#{#tenantId}")
    Report build(String tenantId) {
        return reports.buildFor(tenantId);
    }

    @GroupConcurrent(group = "tenant:#{#tenantId}", queueTimeout = "500ms", fallbackMethod = "busy")
    public Report buildOrLast(String tenantId) {
        return reports.buildFor(tenantId);
    }

    private Report busy(String tenantId, RejectedTaskException rejection) {
        return reports.lastOf(tenantId);
    }

    @Async("exports")
    public CompletableFuture<Report> export(String tenantId) {
        return CompletableFuture.completedFuture(reports.buildFor(tenantId));
    }

    @GroupConcurrent(group = "tenant:#{#tenantId}", queueTimeout = "500ms", fallbackMethod = "later")
    Mono<Report> stream(String tenantId) {
        return Mono.fromCallable(() -> reports.buildFor(tenantId)).subscribeOn(Schedulers.boundedElastic());
    }

    private Mono<Report> later(String tenantId, RejectedTaskException rejection) {
        return Mono.just(reports.lastOf(tenantId));
    }
}
