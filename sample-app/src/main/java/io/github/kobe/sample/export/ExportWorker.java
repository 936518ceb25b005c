package io.github.kobe.sample.export;

import io.github.kobe.sample.report.Report;
import io.github.kobe.sample.report.ReportService;
import io.github.kobe.spring.annotation.GroupConcurrent;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;

/** Runs exports. Each of an export's reports takes its turn in the tenant's group, beside those that people wait for. */
@Component
class ExportWorker {

    private final ReportService reports;

    ExportWorker(ReportService reports) {
        this.reports = reports;
    }

    /** Returns at once: a method that gives a future is run on a thread of the group. */
    @GroupConcurrent(group = "export:#{#tenant}")
    CompletableFuture<String> run(String tenant, List<String> periods, Progress progress) {
        progress.started();
        StringBuilder csv = new StringBuilder("period,total_usd\n");
        for (int i = 0; i < periods.size(); i++) {
            Report report = reports.build(tenant, periods.get(i));
            csv.append(report.period()).append(',').append(report.totalUsd()).append('\n');
            progress.built(i + 1);
        }
        return CompletableFuture.completedFuture(csv.toString());
    }
}
