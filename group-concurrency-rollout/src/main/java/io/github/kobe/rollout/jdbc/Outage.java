package io.github.kobe.rollout.jdbc;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;

/** Tells a database that can't be reached, or asks to be asked again, from one that refuses what it was given. */
final class Outage {

    /** No connection, no resources, an intervention of the operator such as a shutdown, an error of the system. */
    private static final Set<String> CLASSES = Set.of("08", "53", "57", "58");

    /**
     * A session was ended since its transaction was idle; a server only reads, since it has just become the stand-by of
     * another; somebody else has kept a lock for longer than the server lets anybody wait.
     */
    private static final Set<String> STATES = Set.of("25P03", "25006", "55P03");

    private Outage() {}

    static boolean explains(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (isOne(each)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOne(Throwable failure) {
        return switch (failure) {
            case CannotGetJdbcConnectionException e -> true;
            case CannotCreateTransactionException e -> true;
            case TransientDataAccessException e -> true;
            case RecoverableDataAccessException e -> true;
            case SQLTransientException e -> true;
            case SQLRecoverableException e -> true;
            case SQLNonTransientConnectionException e -> true;
            case SQLException e -> isOne(e.getSQLState());
            default -> false;
        };
    }

    private static boolean isOne(@Nullable String state) {
        return state != null
                && (STATES.contains(state) || CLASSES.contains(state.substring(0, Math.min(2, state.length()))));
    }
}
