/** The live page: its files, and where they are served. */
@NullMarked
package io.github.kobe.spring.dashboard;

import org.jspecify.annotations.NullMarked;
