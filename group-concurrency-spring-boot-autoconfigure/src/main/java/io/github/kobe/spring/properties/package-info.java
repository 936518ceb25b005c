/** The settings under {@code group-concurrency}: what they are, where each came from, and what is wrong with them. */
@NullMarked
package io.github.kobe.spring.properties;

import org.jspecify.annotations.NullMarked;
