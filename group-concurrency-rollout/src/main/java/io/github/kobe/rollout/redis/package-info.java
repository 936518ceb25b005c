/** Keeps checkpoints of rollouts in Redis, beside whatever keeps the rest. */
@NullMarked
package io.github.kobe.rollout.redis;

import org.jspecify.annotations.NullMarked;
