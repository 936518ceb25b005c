package io.github.kobe.sample.vat;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class VatController {

    private final VatChecks checks;

    VatController(VatChecks checks) {
        this.checks = checks;
    }

    @GetMapping("/tenants/{tenant}/vat/{number}")
    VatCheck check(@PathVariable String tenant, @PathVariable String number) {
        return new VatCheck(tenant, number, checks.isValid(tenant, number));
    }

    record VatCheck(String tenant, String number, boolean valid) {}
}
