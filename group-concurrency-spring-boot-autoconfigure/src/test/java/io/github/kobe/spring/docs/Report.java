package io.github.kobe.spring.docs;

/** What is reported on a tenant. */
record Report(String tenantId, String text) {}
