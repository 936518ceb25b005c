package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.executors.ConfiguredExecutors;
import io.github.kobe.spring.internal.executors.ConfiguredExecutors.NewPolicy;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Reads again those settings under {@code group-concurrency} that make up the policy, and puts them into force:
 * limits, queues, rejection policy, how often a limits resolver is asked, what is kept of idle groups, and warnings; and
 * those of connections, but not whether these are limited. All other settings, the length of keys too, are read only at
 * start-up.
 *
 * <pre>{@code
 * refresher.refresh(); // after the environment has changed
 * }</pre>
 *
 * <p>Limits that were set while the executor ran, by {@code setLimits} or the endpoint, stay in force, and paused
 * groups stay paused. Running work goes on; work that a larger limit allows starts at once. Safe for use by many
 * threads.
 */
public final class GroupConcurrencyRefresher {

    private static final Log LOGGER = LogFactory.getLog(GroupConcurrencyRefresher.class);

    private final BeanFactory beans;
    private final BoundSettings settings;
    private final Supplier<GroupExecutor> executor;
    private final GroupPolicyComposer composer;
    private final ObjectProvider<ConfiguredExecutors> others;

    /**
     * Makes a refresher.
     *
     * @param beans bind the settings
     * @param settings where they came from
     * @param executor the executor that they are for
     * @param composer adds the application's beans to the policy, as at start-up
     * @param others the other executors that they are for
     */
    GroupConcurrencyRefresher(
            BeanFactory beans,
            BoundSettings settings,
            Supplier<GroupExecutor> executor,
            GroupPolicyComposer composer,
            ObjectProvider<ConfiguredExecutors> others) {
        this.beans = beans;
        this.settings = settings;
        this.executor = executor;
        this.composer = composer;
        this.others = others;
    }

    /**
     * Reads the settings from where they were read at start-up, with all its checks, puts them into force, and logs what
     * has changed. Files are read by the environment's property sources; those of Spring Boot read a file only once.
     *
     * @throws InvalidSettingException if a setting is bad, with property, value, origin and what is allowed; nothing is
     *     changed then
     * @throws io.github.kobe.InvalidPolicyException if a customizer set a number out of its range; nothing is changed
     *     then
     */
    public synchronized void refresh() {
        GroupConcurrencyProperties properties = FreshSettings.bind(beans);
        GroupExecutor own = executor.get();
        GroupPolicy policy = composer.decide(new ConfiguredPolicy(properties, settings).toPolicy());
        List<NewPolicy> all = new ArrayList<>();
        all.add(new NewPolicy(
                GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME,
                own,
                withKeyLengthOf(own, policy),
                own::updatePolicy));
        others.orderedStream()
                .flatMap(executors -> executors.read(properties, settings).stream())
                .map(other -> new NewPolicy(
                        other.beanName(),
                        other.executor(),
                        withKeyLengthOf(other.executor(), other.policy()),
                        other.enforce()))
                .forEach(all::add);
        all.forEach(this::enforce);
    }

    /** The length of keys stays as long as the executor. */
    private static GroupPolicy withKeyLengthOf(GroupExecutor executor, GroupPolicy policy) {
        return policy.toBuilder().maxKeyLength(executor.policy().maxKeyLength()).build();
    }

    private void enforce(NewPolicy fresh) {
        GroupPolicy before = fresh.executor().policy();
        fresh.enforce().accept(composer.accompany(fresh.beanName(), fresh::executor, fresh.policy()));
        composer.refreshed(fresh.beanName());
        LOGGER.info("The settings under " + GroupConcurrencyProperties.PREFIX + " were read again"
                + (fresh.beanName().equals(GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME)
                        ? ": "
                        : " for the executor " + fresh.beanName() + ": ")
                + PolicyChanges.between(before, fresh.policy()));
    }
}
