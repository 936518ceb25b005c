package io.github.kobe.spring.test.docs;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ReportController {

    private final ReportService reports;

    ReportController(ReportService reports) {
        this.reports = reports;
    }

    @GetMapping("/reports/{tenantId}")
    String report(@PathVariable String tenantId) {
        return reports.build(tenantId);
    }
}
