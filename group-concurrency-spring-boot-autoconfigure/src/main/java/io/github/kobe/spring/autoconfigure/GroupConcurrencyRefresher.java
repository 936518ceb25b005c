package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Brings the settings under {@code group-concurrency} that make the policy into force anew: limits, queues, rejection
 * policy, what is kept of idle groups. All other settings are read at start-up alone.
 *
 * <pre>{@code
 * refresher.refresh(); // after the environment has changed
 * }</pre>
 *
 * <p>What was set while the executor ran, by {@code setLimits} or the endpoint, stays in force, and what is paused stays
 * paused. What runs goes on; what a larger limit lets start starts at once. Safe for use by many threads.
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
     * @param executor what they are for
     * @param composer adds the application's beans to the policy, as at start-up
     */
    GroupConcurrencyRefresher(
            ConfigurableEnvironment environment, Supplier<GroupExecutor> executor, GroupPolicyComposer composer) {
        this.environment = environment;
        this.executor = executor;
        this.composer = composer;
    }

    /**
     * Reads the settings from the environment with all the checks of start-up, puts them into force, and logs what that
     * has changed. Files are read by the environment's property sources, and those of Spring Boot read them once.
     *
     * @throws InvalidSettingException if a setting is bad, with property, value, origin and what is allowed; the policy
     *     stays as it was
     * @throws io.github.kobe.InvalidPolicyException if a customizer set a number out of its range; the policy stays as it
     *     was
     */
    public synchronized void refresh() {
        GroupExecutor target = executor.get();
        GroupPolicy before = target.policy();
        GroupPolicy policy = composer.decide(ConfiguredPolicy.read(environment).toPolicy()).toBuilder()
                .maxKeyLength(before.maxKeyLength()) // which stays as long as the executor
                .build();
        target.updatePolicy(composer.accompany(GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME, executor, policy));
        LOGGER.info("The settings under " + GroupConcurrencyProperties.PREFIX + " were read again: "
                + PolicyChanges.between(before, policy));
    }
}
