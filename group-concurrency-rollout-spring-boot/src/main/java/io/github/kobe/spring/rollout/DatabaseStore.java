package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import java.util.List;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;

/** A store in a database, in the transactions that the application has there. */
final class DatabaseStore {

    private static final Log LOGGER = LogFactory.getLog(DatabaseStore.class);

    private static final String ALLOWED =
            "memory; or jdbc, with H2 or PostgreSQL and the tables of rollouts in it, which"
                    + " group-concurrency.rollout.initialize-schema: always creates and brings up to date";

    private DatabaseStore() {}

    static RolloutStore in(
            JdbcRolloutStore store,
            DataSource dataSource,
            List<PlatformTransactionManager> managers,
            RolloutDefaults defaults) {
        try {
            store.requireTables();
        } catch (IllegalStateException unusable) {
            throw defaults.refusal("can't be jdbc: " + unusable.getMessage(), ALLOWED, "store");
        } catch (DataAccessException e) {
            LOGGER.warn("The database of rollouts doesn't answer; they go on once it does", e);
        }
        return managers.stream()
                .filter(manager -> belongTogether(dataSource, manager))
                .findFirst()
                .map(store::withTransactionManager)
                .orElse(store);
    }

    /**
     * {@return whether a transaction of the manager's is one of the database} One of JDBC's, JPA's or Hibernate's own tells
     * whose it is. One of JTA tells nothing, and has all of them.
     */
    private static boolean belongTogether(DataSource dataSource, PlatformTransactionManager manager) {
        if (manager.getClass().getName().endsWith(".JtaTransactionManager")) {
            return true;
        }
        BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return properties.isReadableProperty("dataSource")
                && properties.getPropertyValue("dataSource") instanceof DataSource ofManager
                && target(ofManager).equals(target(dataSource));
    }

    private static DataSource target(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? dataSource : target;
    }
}
