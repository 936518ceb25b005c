/** Limits for calls to other services over HTTP. */
@NullMarked
package io.github.kobe.spring.client;

import org.jspecify.annotations.NullMarked;
