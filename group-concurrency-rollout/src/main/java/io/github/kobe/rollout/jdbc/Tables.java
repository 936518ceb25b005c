package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.ConfigCodec;

/** The tables, one for each kind of record. */
record Tables(PlanRows plans, TaskRows tasks, TenantRows tenants, EventRows events, ConfigRows configs) {

    static Tables of(Database database, ConfigCodec codec) {
        return new Tables(
                new PlanRows(database),
                new TaskRows(database),
                new TenantRows(database),
                new EventRows(database),
                new ConfigRows(database, codec));
    }
}
