/** What stands for groups where there may only be so many values, in meters and observations. */
@NullMarked
package io.github.kobe.spring.tags;

import org.jspecify.annotations.NullMarked;
