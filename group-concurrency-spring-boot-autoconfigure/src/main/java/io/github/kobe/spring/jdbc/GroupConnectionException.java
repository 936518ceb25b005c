package io.github.kobe.spring.jdbc;

import io.github.kobe.RejectedTaskException;
import java.io.Serial;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;

/**
 * Thrown by {@link GroupDataSource} if the group of the caller gets no turn for a connection: its queue is full, or its time
 * is up. The pool wasn't asked. The same may succeed a moment later.
 *
 * <p>Its cause says why, also if the caller was interrupted while it waited ({@link io.github.kobe.RejectionReason#INTERRUPTED}, with the
 * interrupt status restored) or the executor was shut down ({@link io.github.kobe.RejectionReason#SHUTDOWN}). Spring translates it as
 * any other transient failure to connect. If a request ends with it, or with an exception that has it among its causes, the
 * client gets the answer of that rejection: 429 or 503.
 *
 * @since 0.1.0
 */
public final class GroupConnectionException extends SQLTransientConnectionException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The client can't establish a connection. */
    private static final String SQL_STATE = "08001";

    GroupConnectionException(RejectedTaskException rejection) {
        super("No turn for a connection: " + rejection.getMessage(), SQL_STATE, rejection);
    }

    /** {@return why there was no turn: the cause} */
    public RejectedTaskException rejection() {
        return (RejectedTaskException) Objects.requireNonNull(getCause());
    }
}
