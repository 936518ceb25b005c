/** The annotation for methods that run in a group. */
@NullMarked
package io.github.kobe.spring.annotation;

import org.jspecify.annotations.NullMarked;
