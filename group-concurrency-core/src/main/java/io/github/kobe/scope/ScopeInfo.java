package io.github.kobe.scope;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is known of a scope from its beginning.
 *
 * @param id its number, unique among the scopes of the process
 * @param name its name; {@code scope-} and its number if it was given none
 * @param parentId the number of the scope that it was opened inside; empty for an outermost one
 * @param owner the name of the thread that opened it; empty if the thread has none
 * @param openedAt when it was opened
 * @param deadline when its time is up; empty if it has no time-out
 * @since 0.1.0
 */
public record ScopeInfo(
        long id, String name, OptionalLong parentId, String owner, Instant openedAt, Optional<Instant> deadline) {}
