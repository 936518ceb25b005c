package io.github.kobe.sample.report;

import java.math.BigDecimal;

record Turnover(String currency, BigDecimal amount) {}
