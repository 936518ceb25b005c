/** What keeps everything in memory. */
@NullMarked
package io.github.kobe.rollout.internal.memory;

import org.jspecify.annotations.NullMarked;
