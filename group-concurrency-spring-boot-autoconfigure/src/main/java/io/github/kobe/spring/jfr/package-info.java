/** Events of work in groups, for the JDK's Flight Recorder. */
@NullMarked
package io.github.kobe.spring.jfr;

import org.jspecify.annotations.NullMarked;
