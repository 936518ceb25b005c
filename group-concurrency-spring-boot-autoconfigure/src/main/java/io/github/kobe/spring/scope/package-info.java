/** Structured scopes: the bean that opens them, and its settings. */
@NullMarked
package io.github.kobe.spring.scope;

import org.jspecify.annotations.NullMarked;
