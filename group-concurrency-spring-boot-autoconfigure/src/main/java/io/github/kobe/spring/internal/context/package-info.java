/**
 * What goes along with work: the logging context, and the permit that encloses it.
 *
 * <p>It is public for the other jars of the starter only, and may change with each version.
 */
@NullMarked
package io.github.kobe.spring.internal.context;

import org.jspecify.annotations.NullMarked;
