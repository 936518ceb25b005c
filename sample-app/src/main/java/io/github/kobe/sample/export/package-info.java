/** Exports: all reports of a tenant, built in the background. */
@NullMarked
package io.github.kobe.sample.export;

import org.jspecify.annotations.NullMarked;
