package io.github.kobe.internal.base;

import org.jspecify.annotations.Nullable;

/**
 * A scope as the engine knows it. Its family is everything that is forked in it, or in a scope that was opened inside
 * it; that never changes. Scopes are compared by identity.
 */
public interface Lineage {

    /** {@return the scope that it was opened in, which may be another executor's; {@code null}: none} Always the same. */
    @Nullable
    Lineage parent();

    /** {@return the thread that opened it, and waits for it} Always the same. */
    Thread owner();
}
