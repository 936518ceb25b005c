/** The engine and its alternatives on the same work, side by side in one JVM. */
@NullMarked
package io.github.kobe.benchmarks;

import org.jspecify.annotations.NullMarked;
