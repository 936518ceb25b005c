/** What goes along from the thread that submits a task to the thread that runs it. */
@NullMarked
package io.github.kobe.spring.context;

import org.jspecify.annotations.NullMarked;
