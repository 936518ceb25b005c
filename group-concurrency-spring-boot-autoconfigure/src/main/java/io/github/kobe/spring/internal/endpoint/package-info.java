/**
 * What the endpoints share: which requests they refuse, and how they answer these.
 *
 * <p>It is public for the other jars of the starter only, and may change with each version.
 */
@NullMarked
package io.github.kobe.spring.internal.endpoint;

import org.jspecify.annotations.NullMarked;
