/** Operations on plans, and the work for them: who has a plan, which of its tasks run, and what is told of them. */
@NullMarked
package io.github.kobe.rollout.internal.drive;

import org.jspecify.annotations.NullMarked;
