package io.github.kobe.scope;

import io.github.kobe.internal.base.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * The name of a scope.
 *
 * @param id of the scope
 * @param given the given name; {@code null}: it is named by its id
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
