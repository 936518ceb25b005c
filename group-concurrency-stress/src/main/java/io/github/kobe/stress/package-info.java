/** What one thread may see of another's writes when both use the engine, asked by jcstress of the public API. */
@NullMarked
package io.github.kobe.stress;

import org.jspecify.annotations.NullMarked;
