package io.github.kobe.spring.jdbc;

import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.Datasource;
import io.github.kobe.spring.internal.settings.GroupRules;
import io.github.kobe.spring.internal.settings.InvalidSettings;
import io.github.kobe.spring.internal.settings.LimitSetting;
import java.util.Set;
import java.util.regex.Pattern;

/** What the settings say of connections. All that doesn't depend on a pool has been checked. */
final class ConnectionSettings {

    static final String MAX_CONNECTIONS = "max-connections";

    /** There is no number: as many as the pool has. */
    private static final int OF_THE_POOL = 0;

    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,8}");

    private final GroupConcurrencyProperties properties;
    private final BoundSettings settings;
    private final int number;
    private final GroupRules rules;
    private final GroupPolicy limits;

    /**
     * Takes the settings.
     *
     * @param properties their values
     * @param settings where they came from
     * @throws InvalidSettingException if one is out of its range
     */
    ConnectionSettings(GroupConcurrencyProperties properties, BoundSettings settings) {
        this.properties = properties;
        this.settings = settings;
        String most = properties.datasource().maxConnections().strip();
        if (!most.equals(Datasource.POOL) && !NUMBER.matcher(most).matches()) {
            String allowed = "pool, or a whole number of at least 1";
            throw refusal("must be " + allowed, allowed, MAX_CONNECTIONS);
        }
        number = most.equals(Datasource.POOL) ? OF_THE_POOL : Integer.parseInt(most);
        if (reserve() < 0) {
            throw refusal("must be at least 0", "at least 0", "nested-reserve");
        }
        rules = GroupRules.ofConnections(properties, settings);
        limits = rules.policy(() -> GroupRules.commonPolicy(properties));
        refuseLimitsOverInstances();
    }

    private void refuseLimitsOverInstances() {
        if (!limits.isClustered()) {
            return;
        }
        throw settings.first(LimitSetting.CLUSTER_MAX_IN_FLIGHT, Set.of(BoundSettings.DATASOURCE))
                .map(property -> InvalidSettings.of(
                        property,
                        "can't be kept: each instance has a pool of its own",
                        "the other limits of a group",
                        null))
                .orElseThrow();
    }

    /** {@return whether as many connections are for all groups as the pool has, but for the reserve} */
    boolean areOfThePool() {
        return number == OF_THE_POOL;
    }

    /** {@return how many connections are for all groups, if that isn't of the pool} */
    int number() {
        return number;
    }

    /** {@return how many connections of the pool are left for threads that have one} */
    int reserve() {
        return properties.datasource().nestedReserve();
    }

    /**
     * {@return the policy of an executor of connections} Unless the settings say how many a group may have, it may have as many as
     * all together: then groups share by turns alone.
     *
     * @param most how many connections are for all groups
     * @throws InvalidSettingException if more are guaranteed to groups
     */
    GroupPolicy policy(int most) {
        GroupLimits defaults = limits.defaults();
        GroupPolicy.Builder builder = limits.toBuilder()
                .globalMaxInFlight(most)
                .defaults(
                        properties.datasource().defaults().maxConcurrency() == null
                                ? defaults.withMaxConcurrency(Integer.MAX_VALUE)
                                : defaults);
        try {
            return builder.build();
        } catch (InvalidPolicyException refusal) {
            throw rules.refusalOf(refusal);
        }
    }

    /**
     * Makes the exception for a setting that doesn't go with a pool.
     *
     * @param problem what is wrong with it
     * @param allowed what is allowed
     * @param setting its name
     * @return the exception to throw
     */
    InvalidSettingException refusal(String problem, String allowed, String setting) {
        return settings.refusal(problem, allowed, null, BoundSettings.DATASOURCE, setting);
    }
}
