/**
 * The executors of an application context, and what other parts of the starter do with each of them.
 *
 * <p>It is public for the other jars of the starter only, and may change with each version.
 */
@NullMarked
package io.github.kobe.spring.internal.executors;

import org.jspecify.annotations.NullMarked;
