/**
 * Keyed concurrency: {@link io.github.kobe.GroupExecutor} runs work by group, at most N at a time inside each group and
 * M over all groups, in turn between groups.
 */
@NullMarked
package io.github.kobe;

import org.jspecify.annotations.NullMarked;
