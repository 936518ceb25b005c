/** Rollouts: the bean that runs them, its parts, its settings, and when it opens and closes. */
@NullMarked
package io.github.kobe.spring.rollout;

import org.jspecify.annotations.NullMarked;
