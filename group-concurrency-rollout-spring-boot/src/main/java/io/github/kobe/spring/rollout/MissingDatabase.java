package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.rollout.GroupRolloutProperties.Store;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** What to do if rollouts can't or shouldn't be stored in a database. */
final class MissingDatabase {

    private static final Log LOGGER = LogFactory.getLog(MissingDatabase.class);

    private final ListableBeanFactory beans;

    MissingDatabase(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * {@return a store in memory} Where nobody asked for it, there is a warning.
     *
     * @param asked what the settings say
     * @param defaults where they came from
     * @throws InvalidSettingException if they ask for a database
     */
    RolloutStore memoryInstead(@Nullable Store asked, RolloutDefaults defaults) {
        if (asked != Store.MEMORY) {
            Lack lack = lack();
            if (asked == Store.JDBC) {
                throw defaults.refusal(
                        "can't be jdbc, since " + lack.what(), "memory; or jdbc, with " + lack.remedy(), "store");
            }
            LOGGER.warn("Rollouts are kept in memory, and lost with this process, since " + lack.what()
                    + ". To keep them, have " + lack.remedy()
                    + "; if they may be lost, set group-concurrency.rollout.store to memory.");
        }
        return RolloutStore.inMemory();
    }

    private Lack lack() {
        ClassLoader loader = getClass().getClassLoader();
        boolean hasLibraries = ClassUtils.isPresent("org.springframework.jdbc.core.simple.JdbcClient", loader)
                && ClassUtils.isPresent(
                        "org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer", loader);
        if (!hasLibraries) {
            return new Lack(
                    "Spring JDBC isn't on the class path",
                    "org.springframework.boot:spring-boot-starter-jdbc on the class path");
        }
        String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class);
        return names.length == 0
                ? new Lack("there is no DataSource bean", "a DataSource bean, such as that of spring.datasource.url")
                : new Lack(
                        "none of the DataSource beans " + String.join(", ", names) + " is the primary one",
                        "one of the DataSource beans @Primary, or a RolloutStore bean made by"
                                + " JdbcRolloutStore.of(dataSource)");
    }

    /** What there isn't, and what to have in its place. */
    private record Lack(String what, String remedy) {}
}
