/** Small changes to main sources, and a bench that shows under each that a test turns red. */
@NullMarked
package io.github.kobe.testing.mutants;

import org.jspecify.annotations.NullMarked;
