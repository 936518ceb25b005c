/** The auto-configuration for an application that has group-concurrency on its class path. */
@NullMarked
package io.github.kobe.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
