package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.RolloutException;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Reads from and writes to one database. */
final class Database {

    private static final Logger LOG = LoggerFactory.getLogger(Database.class);

    private static final int ATTEMPTS = 5;

    /** So many ids are in one statement, at most. */
    private static final int IDS_AT_ONCE = 1_000;

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private final DataSource dataSource;
    private final String application;
    private final JdbcTemplate template;
    private final JdbcClient client;
    private final PlatformTransactionManager transactionManager;
    private final DatabaseClock clock;

    private volatile @Nullable Dialect dialect;

    private volatile @Nullable TransactionTemplate transactions;

    Database(DataSource dataSource, String application, PlatformTransactionManager transactionManager) {
        this.dataSource = dataSource;
        this.application = application;
        template = new JdbcTemplate(dataSource);
        template.setExceptionTranslator(Database::translated);
        client = JdbcClient.create(template);
        this.transactionManager = transactionManager;
        clock = new DatabaseClock(template, this::dialect);
    }

    /**
     * What a driver says of a batch may contain all that was to be written, configurations too. What the database said is
     * beside it.
     */
    private static @Nullable DataAccessException translated(String task, @Nullable String sql, SQLException e) {
        SQLException told = e instanceof BatchUpdateException
                ? Objects.requireNonNullElseGet(
                        e.getNextException(),
                        () -> new SQLException("a batch failed", e.getSQLState(), e.getErrorCode()))
                : e;
        return TRANSLATOR.translate(task, sql, told);
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** {@return the name of the application whose rows are its own} */
    String application() {
        return application;
    }

    JdbcTemplate template() {
        return template;
    }

    JdbcClient client() {
        return client;
    }

    <T> List<T> query(String sql, List<String> ids, RowMapper<T> reading) {
        return query(sql, Map.of(), ids, reading);
    }

    /**
     * {@return the rows of all ids} Of many, so many at once are asked for, in the order in which they come.
     *
     * @param sql has {@code (:ids)}, and may have {@code :application}
     * @param params the values of the other names in it
     */
    <T> List<T> query(String sql, Map<String, ?> params, List<String> ids, RowMapper<T> reading) {
        List<T> found = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += IDS_AT_ONCE) {
            found.addAll(client.sql(sql)
                    .params(params)
                    .param("application", application)
                    .param("ids", ids.subList(from, Math.min(from + IDS_AT_ONCE, ids.size())))
                    .query(reading)
                    .list());
        }
        return found;
    }

    DatabaseClock clock() {
        return clock;
    }

    Dialect dialect() {
        Dialect known = dialect;
        if (known == null) {
            try {
                String product =
                        JdbcUtils.extractDatabaseMetaData(dataSource, DatabaseMetaData::getDatabaseProductName);
                known = Dialect.of(product);
                dialect = known;
            } catch (MetaDataAccessException e) {
                throw new IllegalStateException("the name of the database could not be read", e);
            }
        }
        return known;
    }

    /**
     * What is read committed anyway isn't asked to be so: that costs a question for each transaction, and managers of
     * distributed ones refuse it.
     */
    private TransactionTemplate transactions() {
        TransactionTemplate known = transactions;
        if (known == null) {
            known = new TransactionTemplate(transactionManager);
            Integer level = template.execute((ConnectionCallback<Integer>) Connection::getTransactionIsolation);
            if (!Objects.equals(level, TransactionDefinition.ISOLATION_READ_COMMITTED)) {
                known.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
            }
            transactions = known;
        }
        return known;
    }

    /**
     * Does something in one transaction: the caller's, if it has one, else a new one, that is begun again when the database
     * prefers another's, of two that wait for each other or create the same. A refusal, which comes before anything is
     * written, leaves the caller's transaction as it was.
     */
    <T> T transact(Supplier<T> work) {
        clock.measureIfDue();
        TransactionTemplate inOne = transactions();
        AtomicBoolean isOwn = new AtomicBoolean();
        for (int attempt = 1; ; attempt++) {
            try {
                return inOne.execute(status -> {
                            isOwn.set(status.isNewTransaction());
                            return answer(work, isOwn.get());
                        })
                        .get();
            } catch (PessimisticLockingFailureException | DuplicateKeyException e) {
                if (!isOwn.get() || attempt == ATTEMPTS) {
                    throw e;
                }
                LOG.debug(
                        "Another transaction came first; this one is tried again: {}",
                        e.getClass().getSimpleName());
            }
        }
    }

    /** {@return what gives the result, or throws a refusal of which the caller's transaction is to know nothing} */
    private static <T> Supplier<T> answer(Supplier<T> work, boolean isNew) {
        try {
            T result = work.get();
            return () -> result;
        } catch (RolloutException refusal) {
            if (isNew) {
                throw refusal;
            }
            return () -> {
                throw refusal;
            };
        }
    }
}
