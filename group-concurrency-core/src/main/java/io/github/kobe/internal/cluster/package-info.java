/** How a limit is divided between nodes. It knows no group and no permit. All times are whole milliseconds. */
@NullMarked
package io.github.kobe.internal.cluster;

import org.jspecify.annotations.NullMarked;
