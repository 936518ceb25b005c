package io.github.kobe.spring.test.listeners;

import java.util.List;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
class NightlyExports {

    private final Exports exports;

    NightlyExports(Exports exports) {
        this.exports = exports;
    }

    @Scheduled(cron = "0 0 3 * * *")
    public void exportAll() {
        for (String tenantId : List.of("acme", "hooli")) {
            exports.export(tenantId).exceptionally(failure -> "not exported: " + failure);
        }
    }
}
