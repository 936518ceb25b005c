/**
 * How settings are bound and checked, and how a bad one is told of.
 *
 * <p>It is public for the other jars of the starter only, and may change with each version.
 */
@NullMarked
package io.github.kobe.spring.internal.settings;

import org.jspecify.annotations.NullMarked;
