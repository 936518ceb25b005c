/** A multi-tenant report service whose tenants, exports and database are each kept to their limits. */
@NullMarked
package io.github.kobe.sample;

import org.jspecify.annotations.NullMarked;
