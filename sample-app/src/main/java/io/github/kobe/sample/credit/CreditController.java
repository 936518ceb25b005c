package io.github.kobe.sample.credit;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class CreditController {

    private final CreditReports reports;

    CreditController(CreditReports reports) {
        this.reports = reports;
    }

    @GetMapping("/tenants/{tenant}/credit")
    CreditReport credit(@PathVariable String tenant, @RequestParam(defaultValue = "") String slow)
            throws InterruptedException {
        return reports.make(tenant, slow);
    }
}
