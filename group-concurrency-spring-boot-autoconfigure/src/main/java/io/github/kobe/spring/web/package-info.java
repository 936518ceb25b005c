/** HTTP: how a rejection is reported to a client, and the filter that limits requests. */
@NullMarked
package io.github.kobe.spring.web;

import org.jspecify.annotations.NullMarked;
