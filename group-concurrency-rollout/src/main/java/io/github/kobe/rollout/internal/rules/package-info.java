/** The state of plans and tasks, the rules that change it, and what a store keeps of it. */
@NullMarked
package io.github.kobe.rollout.internal.rules;

import org.jspecify.annotations.NullMarked;
