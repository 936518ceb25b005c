/** Sets up what is there for HTTP: the mapping of rejections, and the filter. */
@NullMarked
package io.github.kobe.spring.autoconfigure.web;

import org.jspecify.annotations.NullMarked;
