package io.github.kobe.internal;

import org.jspecify.annotations.Nullable;

/**
 * A scope, as the engine knows it: what is forked in it, or in one that was opened inside it, belongs to its family. Whose
 * family something belongs to never changes. Scopes have identity.
 */
public interface Lineage {

    /** {@return the scope that it was opened in, which may be another executor's; {@code null}: none} Always the same. */
    @Nullable
    Lineage parent();

    /** {@return the thread that opened it, and waits for it} Always the same. */
    Thread owner();
}
