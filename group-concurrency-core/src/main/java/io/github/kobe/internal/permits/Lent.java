package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Report;

/** What permits are lent on; a {@code Loan} to those who lend. */
public abstract class Lent extends Report {}
