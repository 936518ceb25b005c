package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import io.github.kobe.spring.rollout.GroupRolloutProperties.InitializeSchema;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;

/**
 * Creates the tables of rollouts, or brings older ones up to date. It is one of Spring Boot's initializers, so that whatever
 * needs a database that is ready comes after it; but what has to be run follows from the tables that are there.
 */
final class RolloutTables extends DataSourceScriptDatabaseInitializer {

    private static final Log LOGGER = LogFactory.getLog(RolloutTables.class);

    private final DataSource dataSource;
    private final InitializeSchema where;

    RolloutTables(DataSource dataSource, InitializeSchema where) {
        super(dataSource, new DatabaseInitializationSettings());
        this.dataSource = dataSource;
        this.where = where;
    }

    @Override
    public boolean initializeDatabase() {
        if (where == InitializeSchema.NEVER || (where == InitializeSchema.EMBEDDED && !isEmbeddedDatabase())) {
            return false;
        }
        try {
            JdbcRolloutStore.of(dataSource).createTables();
            return true;
        } catch (IllegalStateException otherDatabase) {
            LOGGER.debug("There are no tables for it, which DatabaseStore tells", otherDatabase);
            return false;
        }
    }
}
