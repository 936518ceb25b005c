package io.github.kobe.sample.report;

import java.io.Serial;

/** There is nothing to report: the tenant is unknown, or had no orders then. */
public final class NoOrdersException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    public NoOrdersException(String tenant) {
        super("Tenant '" + tenant + "' has no orders");
    }

    NoOrdersException(String tenant, String period) {
        super("Tenant '" + tenant + "' has no orders in " + period);
    }
}
