package io.github.kobe.spring.internal.executors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.util.List;
import java.util.function.Consumer;

/** Executors beside the starter's own that have their policies from the settings too, and new ones when those are read again. */
@FunctionalInterface
public interface ConfiguredExecutors {

    /**
     * Reads new policies, without any effect yet.
     *
     * @param properties the settings
     * @param settings where they came from
     * @return one for each executor
     * @throws io.github.kobe.spring.InvalidSettingException if a setting is out of its range
     */
    List<NewPolicy> read(GroupConcurrencyProperties properties, BoundSettings settings);

    /**
     * The new policy of one executor.
     *
     * @param beanName the name of the executor's bean
     * @param executor the executor
     * @param policy what the settings say
     * @param enforce puts into force what it is given: that policy, with what accompanies work
     */
    record NewPolicy(String beanName, GroupExecutor executor, GroupPolicy policy, Consumer<GroupPolicy> enforce) {}
}
