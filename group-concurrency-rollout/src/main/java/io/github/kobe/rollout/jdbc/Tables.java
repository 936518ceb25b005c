package io.github.kobe.rollout.jdbc;

/** The tables, one for each kind of record. */
record Tables(PlanRows plans, TaskRows tasks, TenantRows tenants, EventRows events) {

    static Tables of(Database database) {
        return new Tables(
                new PlanRows(database), new TaskRows(database), new TenantRows(database), new EventRows(database));
    }
}
