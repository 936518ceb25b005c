package io.github.kobe.spring.internal.executors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.function.Supplier;

/**
 * Adds to the policy of an executor what belongs to this executor alone, such as its meters. Beans of this type are
 * called, in their order, for each executor that the starter or its builder makes.
 */
@FunctionalInterface
public interface ExecutorInstrumentation {

    /**
     * Adds to a policy. It may be called again for the same executor, when the settings are read again; what it keeps
     * for an executor must then stay the same.
     *
     * @param executorName the name of the executor's bean
     * @param executor supplies the executor once it is made; it must not be called before
     * @param policy a builder with everything set so far
     */
    void instrument(String executorName, Supplier<GroupExecutor> executor, GroupPolicy.Builder policy);

    /**
     * Hears that the settings were read again and another policy is in force, on the thread that saw to that.
     *
     * @param executorName the name of the executor's bean
     */
    default void refreshed(String executorName) {}
}
