/**
 * How a store divides limits between nodes, and the store in memory. It knows no group and no permit; of the engine's packages
 * it may know {@code base}.
 *
 * <p>{@code Division} decides who gets how much of one resource; it is pure. {@code Exchange} carries out one statement against
 * a {@code Memory}, which is all that a store remembers. {@code InMemoryStore} puts a lock around them.
 *
 * <p>All times are whole milliseconds. What a script at a server does is the same step for step, so that both give the same
 * answers.
 */
@NullMarked
package io.github.kobe.internal.cluster;

import org.jspecify.annotations.NullMarked;
