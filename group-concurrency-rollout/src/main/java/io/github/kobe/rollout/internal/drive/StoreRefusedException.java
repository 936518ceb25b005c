package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.FailureInfo;
import java.sql.SQLException;

/**
 * Thrown if the store answers, but can't read or write what it is asked to. It names only the kinds of the failure: the
 * message of a database, and that of a driver, may contain what was to be written.
 */
final class StoreRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    StoreRefusedException(RuntimeException failure) {
        super("the store failed with " + describe(failure));
    }

    /** {@return the kind of a failure, with the code of a database if one has it} */
    static String describe(Throwable failure) {
        String name = failure.getClass().getSimpleName();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SQLException ofDatabase && ofDatabase.getSQLState() != null) {
                return name + " (SQLState " + ofDatabase.getSQLState() + ")";
            }
        }
        return name;
    }

    FailureInfo toFailure() {
        return new FailureInfo(FailureInfo.STORE, String.valueOf(getMessage()));
    }
}
