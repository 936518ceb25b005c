/** Reports: built from a tenant's orders and the partner's rates, and stored. */
@NullMarked
package io.github.kobe.sample.report;

import org.jspecify.annotations.NullMarked;
