/**
 * The store in Redis, by which instances share limits: {@link io.github.kobe.cluster.redis.RedisClusterStore}.
 *
 * <p>Unless {@code @Nullable} says otherwise, no argument may be {@code null}: a method that is given {@code null} throws a
 * {@link java.lang.NullPointerException}.
 */
@NullMarked
package io.github.kobe.cluster.redis;

import org.jspecify.annotations.NullMarked;
