package io.github.kobe.sample.credit;

/**
 * What is known of a tenant as a debtor.
 *
 * @param tenant whom it is about
 * @param bank what the bank says
 * @param register what the register of companies says
 * @param court what the court says
 */
public record CreditReport(String tenant, String bank, String register, String court) {}
