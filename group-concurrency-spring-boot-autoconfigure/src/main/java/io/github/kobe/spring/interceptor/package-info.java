/** What runs annotated methods in their groups. */
@NullMarked
package io.github.kobe.spring.interceptor;

import org.jspecify.annotations.NullMarked;
