/** Checks of VAT numbers: the partner takes so many a minute of all tenants together, and these take turns. */
@NullMarked
package io.github.kobe.sample.vat;

import org.jspecify.annotations.NullMarked;
