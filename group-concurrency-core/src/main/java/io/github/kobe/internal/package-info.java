/** Parts of the engine that know nothing of its API. */
@NullMarked
package io.github.kobe.internal;

import org.jspecify.annotations.NullMarked;
