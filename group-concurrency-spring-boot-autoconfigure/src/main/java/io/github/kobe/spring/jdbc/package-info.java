/** Connections of a pool in fair shares. */
@NullMarked
package io.github.kobe.spring.jdbc;

import org.jspecify.annotations.NullMarked;
