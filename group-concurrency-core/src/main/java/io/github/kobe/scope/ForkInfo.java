package io.github.kobe.scope;

import java.time.Instant;

/**
 * What is known of a fork from its beginning.
 *
 * @param scopeId the number of its scope, unique among the scopes of the process
 * @param scope the name of its scope
 * @param id its number in its scope, from 1, in the order of the forks
 * @param name its name; {@code task-} and its number if it was given none
 * @param group the group that it was forked into
 * @param forkedAt when it was forked
 * @since 0.1.0
 */
public record ForkInfo(long scopeId, String scope, long id, String name, String group, Instant forkedAt) {}
