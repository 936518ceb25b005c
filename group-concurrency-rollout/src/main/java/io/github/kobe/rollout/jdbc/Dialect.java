package io.github.kobe.rollout.jdbc;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import java.util.Arrays;

/** The SQL that differs between databases. */
enum Dialect {
    H2(
            "H2",
            "current_timestamp",
            "tenant_id",
            "insert into rollout_tenant (application, tenant_id) select ?1, ?2"
                    + " where not exists (select 1 from rollout_tenant where application = ?1 and tenant_id = ?2)",
            "insert into rollout_config (config_id, body) select ?1, ?2"
                    + " where not exists (select 1 from rollout_config where config_id = ?1)",
            ""),
    POSTGRESQL(
            "PostgreSQL",
            "clock_timestamp()",
            "tenant_id collate \"C\"",
            "insert into rollout_tenant (application, tenant_id) values (?, ?) on conflict do nothing",
            "insert into rollout_config (config_id, body) values (?, ?) on conflict do nothing",
            "select pg_advisory_xact_lock(" + 0x726f6c6c6f7574L + ")");

    private final String product;
    private final String time;
    private final String tenantOrder;
    private final String addTenant;
    private final String addConfig;
    private final String lockSchema;

    Dialect(String product, String time, String tenantOrder, String addTenant, String addConfig, String lockSchema) {
        this.product = product;
        this.time = time;
        this.tenantOrder = tenantOrder;
        this.addTenant = addTenant;
        this.addConfig = addConfig;
        this.lockSchema = lockSchema;
    }

    /** {@return the dialect of a database that calls itself so} */
    static Dialect of(String product) {
        return Arrays.stream(values())
                .filter(dialect -> dialect.product.equals(product))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "the database is " + product + "; rollouts support H2 and PostgreSQL"));
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

    /** {@return how a configuration is added unless it is there} */
    String addConfig() {
        return addConfig;
    }

    /** {@return what keeps others from changing the tables until the transaction ends} Empty: H2 commits with each change. */
    String lockSchema() {
        return lockSchema;
    }
}
