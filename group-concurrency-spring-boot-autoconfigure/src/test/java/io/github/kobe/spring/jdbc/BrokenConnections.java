package io.github.kobe.spring.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

/** Connections of a pool, of which one method goes wrong. */
final class BrokenConnections {

    private BrokenConnections() {}

    /** {@return one that can't be aborted} */
    static Connection withoutAbort(Connection real) {
        return failingIn("abort", false, "not now", real);
    }

    /** {@return one that is closed, and then fails in it} */
    static Connection failingAfterClose(Connection real) {
        return failingIn("close", true, "it is closed, but", real);
    }

    private static Connection failingIn(String method, boolean afterwards, String message, Connection real) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, called, arguments) -> {
                    boolean fails = called.getName().equals(method);
                    if (fails && !afterwards) {
                        throw new SQLException(message);
                    }
                    Object result;
                    try {
                        result = called.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                    if (fails) {
                        throw new SQLException(message);
                    }
                    return result;
                });
    }
}
