package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The executors that a request may name.
 *
 * @param all all executors, by the names of their beans
 * @param byDefault the name of the executor for requests that name none; empty: there is none
 */
record NamedExecutors(Supplier<Map<String, GroupExecutor>> all, String byDefault) {

    Named find(@Nullable String asked) {
        Map<String, GroupExecutor> executors = all.get();
        String name = asked == null ? byDefault : asked;
        GroupExecutor executor = executors.get(name);
        if (executor == null) {
            throw RefusedRequestException.badRequest(
                    asked == null ? "there is more than one executor" : "there is no executor with this name",
                    "executor",
                    asked,
                    "one of " + executors.keySet());
        }
        return new Named(name, executor);
    }

    record Named(String name, GroupExecutor executor) {}
}
