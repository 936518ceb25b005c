/** Texts that come from outside, made safe to show. */
@NullMarked
package io.github.kobe.spring.text;

import org.jspecify.annotations.NullMarked;
