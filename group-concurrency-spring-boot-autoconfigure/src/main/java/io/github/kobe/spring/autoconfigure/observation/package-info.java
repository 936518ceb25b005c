/** Sets up the observations. */
@NullMarked
package io.github.kobe.spring.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
