/** The actuator endpoint that shows groups and changes their limits. */
@NullMarked
package io.github.kobe.spring.endpoint;

import org.jspecify.annotations.NullMarked;
