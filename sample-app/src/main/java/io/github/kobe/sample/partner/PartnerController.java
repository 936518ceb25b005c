package io.github.kobe.sample.partner;

import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows the partner's own counts, for comparison with the limits. */
@RestController
class PartnerController {

    private final TrafficCount traffic;
    private final Quota vatQuota;

    PartnerController(TrafficCount traffic, Quota vatQuota) {
        this.traffic = traffic;
        this.vatQuota = vatQuota;
    }

    @GetMapping("/partner/traffic")
    AllTraffic traffic() {
        return new AllTraffic(traffic.total(), traffic.byTenant());
    }

    @GetMapping("/partner/quota")
    Quota.Count quota() {
        return vatQuota.count();
    }

    record AllTraffic(Traffic total, Map<String, Traffic> tenants) {}
}
