/** HTTP: what a client is told of a rejection, and the filter that limits requests. */
@NullMarked
package io.github.kobe.spring.web;

import org.jspecify.annotations.NullMarked;
