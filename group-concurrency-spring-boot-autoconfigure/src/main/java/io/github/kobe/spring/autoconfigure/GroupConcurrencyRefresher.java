package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads again those settings under {@code group-concurrency} that make up the policy, and puts them into force: limits,
 * queues, rejection policy, and what is kept of idle groups. All other settings are read only at start-up.
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

    private final ConfigurableEnvironment environment;
    private final Supplier<GroupExecutor> executor;
    private final GroupPolicyComposer composer;

    /**
     * Makes a refresher.
     *
     * @param environment where the settings are
     * @param executor the executor that they are for
     * @param composer adds the application's beans to the policy, as at start-up
     */
    GroupConcurrencyRefresher(
            ConfigurableEnvironment environment, Supplier<GroupExecutor> executor, GroupPolicyComposer composer) {
        this.environment = environment;
        this.executor = executor;
        this.composer = composer;
    }

    /**
     * Reads the settings from the environment with all the checks of start-up, puts them into force, and logs what has
     * changed. Files are read by the environment's property sources; those of Spring Boot read a file only once.
     *
     * @throws InvalidSettingException if a setting is bad, with property, value, origin and what is allowed; the policy
     *     is then unchanged
     * @throws io.github.kobe.InvalidPolicyException if a customizer set a number out of its range; the policy is then
     *     unchanged
     */
    public synchronized void refresh() {
        GroupExecutor target = executor.get();
        GroupPolicy before = target.policy();
        GroupPolicy policy = composer.decide(ConfiguredPolicy.read(environment).toPolicy()).toBuilder()
                .maxKeyLength(before.maxKeyLength()) // which stays as long as the executor
                .build();
        target.updatePolicy(composer.accompany(GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME, executor, policy));
        composer.refreshed(GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME);
        LOGGER.info("The settings under " + GroupConcurrencyProperties.PREFIX + " were read again: "
                + PolicyChanges.between(before, policy));
    }
}
