/** What the tests of all modules share. */
@NullMarked
package io.github.kobe.testing;

import org.jspecify.annotations.NullMarked;
