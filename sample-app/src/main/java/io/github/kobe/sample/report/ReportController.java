package io.github.kobe.sample.report;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/tenants/{tenant}/reports")
class ReportController {

    private static final String NEWEST_PERIOD = "2026-03";

    private final ReportService service;
    private final ReportStore reports;

    ReportController(ReportService service, ReportStore reports) {
        this.service = service;
        this.reports = reports;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    Report build(@PathVariable String tenant, @RequestParam(defaultValue = NEWEST_PERIOD) String period) {
        return service.build(tenant, period);
    }

    @GetMapping
    List<Report> newest(@PathVariable String tenant) {
        return reports.newest(tenant);
    }

    @GetMapping("/current")
    Report current(@PathVariable String tenant, @RequestParam(defaultValue = NEWEST_PERIOD) String period) {
        return service.current(tenant, period);
    }
}
