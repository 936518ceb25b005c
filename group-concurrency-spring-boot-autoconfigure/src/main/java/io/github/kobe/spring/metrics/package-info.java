/** The meters of groups and scopes, for Micrometer. */
@NullMarked
package io.github.kobe.spring.metrics;

import org.jspecify.annotations.NullMarked;
