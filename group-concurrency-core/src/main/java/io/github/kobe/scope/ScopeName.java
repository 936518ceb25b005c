package io.github.kobe.scope;

import io.github.kobe.internal.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * What a scope is called.
 *
 * @param id of the scope
 * @param given {@code null}: it is called by its id
 */
record ScopeName(long id, @Nullable String given) {

    String text() {
        return given == null ? "scope-" + id : given;
    }

    @Override
    public String toString() {
        return "GroupScope[" + KeyText.printable(text()) + "]";
    }
}
