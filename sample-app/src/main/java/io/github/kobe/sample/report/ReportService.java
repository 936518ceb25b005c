package io.github.kobe.sample.report;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.sample.partner.PartnerClient;
import io.github.kobe.spring.annotation.GroupConcurrent;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Service;

/**
 * Builds reports, each tenant's in a group of its own. The database's groups come on top, one at a time and only for as
 * long as a statement takes: the partner's slowness never holds a connection.
 */
@Service
public class ReportService {

    private final OrderStore orders;
    private final ReportStore reports;
    private final PartnerClient partner;

    ReportService(OrderStore orders, ReportStore reports, PartnerClient partner) {
        this.orders = orders;
        this.reports = reports;
        this.partner = partner;
    }

    /**
     * Builds a report and stores it, when the tenant's turn has come.
     *
     * @param tenant whose orders
     * @param period the month
     * @return the stored report
     * @throws RejectedTaskException if the tenant, or all together, have asked for too much
     */
    @GroupConcurrent(group = "tenant:#{#tenant}")
    public Report build(String tenant, String period) {
        List<Turnover> turnover = orders.turnover(tenant, period);
        if (turnover.isEmpty()) {
            throw new NoOrdersException(tenant, period);
        }
        Map<String, BigDecimal> rates = partner.rates(tenant);
        BigDecimal totalUsd = turnover.stream()
                .map(part -> part.amount().multiply(rates.get(part.currency())))
                .reduce(BigDecimal.ZERO, BigDecimal::add)
                .setScale(2, RoundingMode.HALF_EVEN);
        return reports.save(tenant, period, totalUsd);
    }

    /**
     * Builds a report if the tenant has a free place this moment; else gives the last one that is stored.
     *
     * @param tenant whose orders
     * @param period the month
     * @return a new report or an old one
     * @throws RejectedTaskException if there is neither a free place nor an old report
     */
    @GroupConcurrent(group = "tenant:#{#tenant}", queueTimeout = "0s", fallbackMethod = "stored")
    public Report current(String tenant, String period) {
        return build(tenant, period);
    }

    Report stored(String tenant, String period, RejectedTaskException rejection) {
        return reports.last(tenant, period).orElseThrow(() -> rejection);
    }
}
