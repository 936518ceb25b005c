package io.github.kobe.spring.docs;

import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.springframework.stereotype.Service;

@Service
class CustomerPages {

    private final Scopes scopes;
    private final OrderStore orders;
    private final ReportStore reports;

    CustomerPages(Scopes scopes, OrderStore orders, ReportStore reports) {
        this.scopes = scopes;
        this.orders = orders;
        this.reports = reports;
    }

    CustomerPage load(String tenantId) throws ExecutionException, InterruptedException {
        String group = "tenant:" + tenantId;
        try (var scope = scopes.open(change -> change.withName("customer page").withTimeout(Duration.ofSeconds(2)))) {
            Subtask<Integer> count = scope.fork(group, () -> orders.countOf(tenantId));
            Subtask<Report> report = scope.fork(group, () -> reports.buildFor(tenantId));

            scope.join(); // both, or the first failure, which cancels the other

            return new CustomerPage(count.get(), report.get());
        }
    }
}
