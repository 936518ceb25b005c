/**
 * Lends the permits of a thread that waits to the work that it waits for.
 *
 * <p>By {@code Lending}, a thread makes an {@code Offer} of its permits to one task, or to the family of a {@code Lineage}.
 * {@code Borrowing} lends them, by a {@code Loan}; {@code Returns} gives them back. Groups and the ledger know lending by
 * {@code LocalLending}, {@code Lenders}, {@code Loans} and {@code Lent} alone.
 */
@NullMarked
package io.github.kobe.internal.lending;

import org.jspecify.annotations.NullMarked;
