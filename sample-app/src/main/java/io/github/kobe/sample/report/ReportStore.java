package io.github.kobe.sample.report;

import io.github.kobe.spring.annotation.GroupConcurrent;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;

/** The reports that were built. Reads and writes are groups of their own, whoever asks. */
@Repository
class ReportStore {

    private static final int NEWEST = 20;

    private final JdbcClient jdbc;

    ReportStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @GroupConcurrent(group = "db-write")
    Report save(String tenant, String period, BigDecimal totalUsd) {
        KeyHolder key = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO reports (tenant, period, total_usd) VALUES (?, ?, ?)")
                .params(tenant, period, totalUsd)
                .update(key, "id");
        long id = Objects.requireNonNull(key.getKey()).longValue();
        return new Report(id, tenant, period, totalUsd);
    }

    @GroupConcurrent(group = "db-read")
    List<Report> newest(String tenant) {
        return jdbc.sql("SELECT * FROM reports WHERE tenant = ? ORDER BY id DESC FETCH FIRST ? ROWS ONLY")
                .params(tenant, NEWEST)
                .query(Report.class)
                .list();
    }

    @GroupConcurrent(group = "db-read")
    Optional<Report> last(String tenant, String period) {
        return jdbc.sql("SELECT * FROM reports WHERE tenant = ? AND period = ? ORDER BY id DESC FETCH FIRST ROW ONLY")
                .params(tenant, period)
                .query(Report.class)
                .optional();
    }
}
