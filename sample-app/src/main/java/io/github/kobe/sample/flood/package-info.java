/** A flood: one tenant's clients ask for far too much while the others go on as always. A process of its own, of the JDK alone. */
@NullMarked
package io.github.kobe.sample.flood;

import org.jspecify.annotations.NullMarked;
