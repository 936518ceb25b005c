package io.github.kobe.internal;

/** What permits are lent on; a {@link Loan} to those who lend. */
abstract class Lent extends Report {}
