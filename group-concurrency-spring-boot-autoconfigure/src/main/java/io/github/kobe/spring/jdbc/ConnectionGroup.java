package io.github.kobe.spring.jdbc;

import io.github.kobe.GroupPolicy;
import org.jspecify.annotations.Nullable;

/**
 * Tells whom a connection is for: the key of the group whose share of a pool it is taken from.
 *
 * <pre>{@code
 * ConnectionGroup tenants = () -> Tenant.current();
 * }</pre>
 *
 * <p>It is asked by {@link GroupDataSource} on the thread that wants a connection, each time before that thread waits, and
 * outside all locks; it has to be safe for use by several threads. It must not open a connection of the same data source,
 * which would ask it again.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ConnectionGroup {

    /**
     * {@return the key of the group of what the current thread does; {@code null}: its connections aren't limited, such as those
     * of migrations and schedulers} A key that is blank, or longer than the {@linkplain GroupPolicy#maxKeyLength() policy}
     * allows, is refused. What this method throws, {@code getConnection} throws.
     */
    @Nullable
    String current();
}
