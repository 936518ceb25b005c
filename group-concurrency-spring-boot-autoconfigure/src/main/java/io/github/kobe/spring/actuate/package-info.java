/** The endpoint {@code groupexecutor}: what groups do, and their limits while the application runs. */
@NullMarked
package io.github.kobe.spring.actuate;

import org.jspecify.annotations.NullMarked;
