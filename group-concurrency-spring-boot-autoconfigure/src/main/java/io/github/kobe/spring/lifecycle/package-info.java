/** How an executor starts and ends with its application context. */
@NullMarked
package io.github.kobe.spring.lifecycle;

import org.jspecify.annotations.NullMarked;
