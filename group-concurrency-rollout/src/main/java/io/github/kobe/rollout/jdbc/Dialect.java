package io.github.kobe.rollout.jdbc;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import java.util.Arrays;
import java.util.Locale;

/** The SQL that differs between databases. */
enum Dialect {
    H2(
            "H2",
            "current_timestamp",
            "tenant_id",
            "insert into rollout_tenant (tenant_id) select ?1"
                    + " where not exists (select 1 from rollout_tenant where tenant_id = ?1)"),
    POSTGRESQL(
            "PostgreSQL",
            "clock_timestamp()",
            "tenant_id collate \"C\"",
            "insert into rollout_tenant (tenant_id) values (?) on conflict do nothing");

    private final String product;
    private final String time;
    private final String tenantOrder;
    private final String addTenant;

    Dialect(String product, String time, String tenantOrder, String addTenant) {
        this.product = product;
        this.time = time;
        this.tenantOrder = tenantOrder;
        this.addTenant = addTenant;
    }

    /** {@return the dialect of a database that calls itself so} */
    static Dialect of(String product) {
        return Arrays.stream(values())
                .filter(dialect -> dialect.product.equals(product))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "the database is " + product + "; rollouts support H2 and PostgreSQL"));
    }

    /** {@return the script that creates the tables} */
    String schema() {
        return "schema-" + name().toLowerCase(Locale.ROOT) + ".sql";
    }

    /** {@return the time that it is, not the time when the transaction began} */
    String time() {
        return "select " + time;
    }

    /** {@return how db-scheduler speaks to it} Its times have their zone with them, so none is to be assumed. */
    JdbcCustomization scheduling() {
        return this == POSTGRESQL ? new PostgreSqlJdbcCustomization(false, false) : new DefaultJdbcCustomization(false);
    }

    /** {@return what orders tenants as Java orders their ids} */
    String tenantOrder() {
        return tenantOrder;
    }

    /**
     * {@return whether others see what a transaction wrote before the file has it} What they see then is lost if the process
     * is killed.
     */
    boolean showsWhatIsNotKept() {
        return this == H2;
    }

    /** {@return how a tenant is added unless it is there} */
    String addTenant() {
        return addTenant;
    }
}
