/** Rollouts over the {@linkplain io.github.kobe.sample.fleet fleet}, each tenant in stages: with the profile {@code rollout}. */
@NullMarked
package io.github.kobe.sample.rollout;

import org.jspecify.annotations.NullMarked;
