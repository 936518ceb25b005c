package io.github.kobe.internal.base;

import java.util.List;
import java.util.function.Consumer;

/**
 * One of several listeners, tracers or traces that a policy combines. What it throws affects neither the work nor the
 * others, and is logged once for each of its methods.
 */
record Member<L>(L code, FailureLog failures) {

    static <L> List<Member<L>> all(List<L> codes) {
        return codes.stream().map(code -> new Member<>(code, new FailureLog())).toList();
    }

    void tell(String method, String key, Consumer<L> event) {
        try {
            event.accept(code);
        } catch (Throwable failure) {
            failures.methodFailed(method, key, failure);
        }
    }
}
