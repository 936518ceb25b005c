/** Limits for calls of language models with Spring AI. */
@NullMarked
package io.github.kobe.spring.ai;

import org.jspecify.annotations.NullMarked;
