/** The partner: a slow HTTP service inside the sample, its client, and its own counts of who is served. */
@NullMarked
package io.github.kobe.sample.partner;

import org.jspecify.annotations.NullMarked;
