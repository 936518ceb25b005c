/** Settings that change while the application runs. */
@NullMarked
package io.github.kobe.spring.refresh;

import org.jspecify.annotations.NullMarked;
