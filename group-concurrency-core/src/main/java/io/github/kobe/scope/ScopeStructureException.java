package io.github.kobe.scope;

import java.io.Serial;

/**
 * Thrown when scopes are not closed in the reverse of the order in which they were opened.
 *
 * @since 0.1.0
 */
public final class ScopeStructureException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param message which scopes were closed out of order
     */
    public ScopeStructureException(String message) {
        super(message);
    }
}
