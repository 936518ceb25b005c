package io.github.kobe.benchmarks;

import io.github.kobe.spring.annotation.GroupConcurrent;

/** A bean as an application has it. */
class AdvisedBean {

    @GroupConcurrent(group = "group")
    int byLiteral() {
        return 1;
    }

    /** By an expression that is more than a variable. */
    @GroupConcurrent(group = "tenant:#{#tenant}")
    int byExpression(String tenant) {
        return tenant.length();
    }
}
