package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

@Component
class PlanChange {

    private final JdbcTemplate database;
    private final GroupExecutor executor;

    PlanChange(JdbcTemplate database, GroupExecutor executor) {
        this.database = database;
        this.executor = executor;
    }

    void apply(String tenant, int atOnce) {
        database.update("UPDATE plan SET at_once = ? WHERE tenant = ?", atOnce, tenant);
        executor.limitsChanged("tenant:" + tenant); // if it is in a transaction: after the commit
    }
}
