package io.github.kobe.sample.report;

import io.github.kobe.spring.annotation.GroupConcurrent;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The orders of all tenants; only read. */
@Repository
public class OrderStore {

    private final JdbcClient jdbc;

    OrderStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** {@return the months in which a tenant has orders, the first one first} */
    @GroupConcurrent(group = "db-read")
    public List<String> periods(String tenant) {
        return jdbc.sql("SELECT DISTINCT period FROM orders WHERE tenant = ? ORDER BY period")
                .param(tenant)
                .query(String.class)
                .list();
    }

    @GroupConcurrent(group = "db-read")
    List<Turnover> turnover(String tenant, String period) {
        return jdbc.sql("SELECT currency, SUM(amount) AS amount FROM orders WHERE tenant = ? AND period = ?"
                        + " GROUP BY currency")
                .params(tenant, period)
                .query(Turnover.class)
                .list();
    }
}
