/** Observations of work in groups, for Micrometer. */
@NullMarked
package io.github.kobe.spring.observation;

import org.jspecify.annotations.NullMarked;
