package io.github.kobe.spring.rollout;

import io.github.kobe.spring.rollout.GroupRolloutProperties.InitializeSchema;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;

/** Creates missing tables of rollouts, as Spring Boot does for other libraries. */
final class RolloutTables extends DataSourceScriptDatabaseInitializer {

    /** Of another database there is none, and {@link DatabaseStore} tells so. */
    private static final String SCRIPT = "optional:classpath:io/github/kobe/rollout/jdbc/schema-@@platform@@.sql";

    private RolloutTables(DataSource dataSource, DatabaseInitializationSettings settings) {
        super(dataSource, settings);
    }

    static RolloutTables in(DataSource dataSource, InitializeSchema which) {
        DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
        settings.setMode(DatabaseInitializationMode.valueOf(which.name()));
        if (which != InitializeSchema.NEVER) {
            settings.setSchemaLocations(new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, SCRIPT));
        }
        return new RolloutTables(dataSource, settings);
    }
}
