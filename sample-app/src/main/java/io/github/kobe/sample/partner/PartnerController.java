package io.github.kobe.sample.partner;

import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows the partner's own count, for comparison with the limits. */
@RestController
class PartnerController {

    private final TrafficCount traffic;

    PartnerController(TrafficCount traffic) {
        this.traffic = traffic;
    }

    @GetMapping("/partner/traffic")
    AllTraffic traffic() {
        return new AllTraffic(traffic.total(), traffic.byTenant());
    }

    record AllTraffic(Traffic total, Map<String, Traffic> tenants) {}
}
