/** What an application writes on its methods to have them run in a group. */
@NullMarked
package io.github.kobe.spring.annotation;

import org.jspecify.annotations.NullMarked;
