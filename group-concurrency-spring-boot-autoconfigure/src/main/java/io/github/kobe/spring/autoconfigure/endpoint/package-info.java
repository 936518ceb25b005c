/** Sets up the actuator endpoint. */
@NullMarked
package io.github.kobe.spring.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
