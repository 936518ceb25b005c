/** Events for the JDK's Flight Recorder. Nothing else of the engine knows of it. */
@NullMarked
package io.github.kobe.internal.jfr;

import org.jspecify.annotations.NullMarked;
