package io.github.kobe.spring.together;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.rollout.Stage;
import io.github.kobe.spring.annotation.GroupConcurrent;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** An application that uses what there is: annotations of all kinds, settings, endpoint, meters, rollouts. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class AheadOfTimeApplication {

    @Bean
    Reports reports() {
        return new Reports();
    }

    @Bean
    Stage migrate() {
        return Stage.named("Migrate");
    }

    /** Who wants a report. */
    record Order(Customer customer) {}

    /** Whom the group is named after. */
    static final class Customer {

        private final String name;

        Customer(String name) {
            this.name = name;
        }

        public String getName() {
            return name;
        }
    }

    static class Reports {

        @GroupConcurrent(group = "tenant:#{#tenantId}", fallbackMethod = "busy")
        public String build(String tenantId) {
            return "report on " + tenantId;
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // found by its name
        private String busy(String tenantId, RejectedTaskException rejection) {
            return "no report: " + rejection.reason();
        }

        @GroupConcurrent(group = "customer:#{#order.customer().name.toLowerCase()}")
        public CompletableFuture<String> deliver(Order order) {
            return CompletableFuture.completedFuture(
                    "on " + Thread.currentThread().isVirtual());
        }
    }

    @RestController
    static class ReportController {

        private final Reports reports;

        ReportController(Reports reports) {
            this.reports = reports;
        }

        @GetMapping("/reports/{tenantId}")
        String report(@PathVariable String tenantId) {
            return reports.build(tenantId);
        }
    }
}
