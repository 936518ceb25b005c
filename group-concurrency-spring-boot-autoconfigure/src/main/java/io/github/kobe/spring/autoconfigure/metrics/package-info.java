/** Sets up the meters. */
@NullMarked
package io.github.kobe.spring.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
