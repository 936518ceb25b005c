/** The meters of groups, for Micrometer. */
@NullMarked
package io.github.kobe.spring.metrics;

import org.jspecify.annotations.NullMarked;
