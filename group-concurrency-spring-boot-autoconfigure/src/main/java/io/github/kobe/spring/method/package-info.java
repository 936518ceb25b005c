/** Methods with {@code @GroupConcurrent}: how they are found, checked and called. */
@NullMarked
package io.github.kobe.spring.method;

import org.jspecify.annotations.NullMarked;
