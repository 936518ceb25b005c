package io.github.kobe.sample.report;

import java.math.BigDecimal;

/**
 * What a tenant turned over in one month.
 *
 * @param id counts the reports of all tenants
 * @param tenant whose orders
 * @param period the month, like {@code 2026-03}
 * @param totalUsd in dollars, at the rates of the moment when the report was built
 */
public record Report(long id, String tenant, String period, BigDecimal totalUsd) {}
