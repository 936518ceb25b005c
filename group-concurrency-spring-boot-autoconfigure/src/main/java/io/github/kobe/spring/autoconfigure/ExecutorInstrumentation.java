package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.function.Supplier;

/**
 * Adds to the policy of an executor what is this executor's own, as its meters are. Beans of this type are called for
 * each executor that is made by the starter or its builder, in their order.
 */
@FunctionalInterface
public interface ExecutorInstrumentation {

    /**
     * Adds to a policy. For one executor it may be called again, when its settings are read anew; what it keeps by
     * executor has to stay the same then.
     *
     * @param executorName the name of the executor's bean
     * @param executor the executor, once it is made; not to be asked before
     * @param policy a builder with all that is set so far
     */
    void instrument(String executorName, Supplier<GroupExecutor> executor, GroupPolicy.Builder policy);
}
