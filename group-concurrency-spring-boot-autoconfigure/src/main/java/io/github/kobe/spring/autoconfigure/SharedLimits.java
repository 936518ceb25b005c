package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupPolicy;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.InvalidSettings;
import io.github.kobe.spring.internal.settings.LimitSetting;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/** How the starter's executor shares limits with those of other instances, if it does. */
final class SharedLimits {

    private static final Log LOGGER = LogFactory.getLog(SharedLimits.class);

    private static final String CLUSTER = "cluster";

    private static final String STORES = "the jar io.github.kobe:group-concurrency-redis on the class path, with"
            + " group-concurrency.redis.uri, or spring.data.redis.host and spring-boot-starter-data-redis; or a bean of"
            + " type ClusterStore";

    private final ObjectProvider<ClusterSettings> settings;
    private final ObjectProvider<ClusterStore> stores;
    private final ObjectProvider<GroupConcurrencyProperties> properties;
    private final ObjectProvider<BoundSettings> bound;

    SharedLimits(BeanFactory beans) {
        settings = beans.getBeanProvider(ClusterSettings.class);
        stores = beans.getBeanProvider(ClusterStore.class);
        properties = beans.getBeanProvider(GroupConcurrencyProperties.class);
        bound = beans.getBeanProvider(BoundSettings.class);
    }

    /**
     * Says how an executor shares limits.
     *
     * @param policy the policy of the executor
     * @return the settings, the application's bean before all others; {@code null}: it shares none
     * @throws InvalidSettingException if a setting is missing, or out of its range
     */
    @Nullable
    ClusterSettings of(GroupPolicy policy) {
        ClusterSettings own = settings.getIfAvailable();
        if (own != null) {
            return own;
        }
        GroupConcurrencyProperties.Cluster cluster = properties.getObject().cluster();
        if (!policy.isClustered() && (policy.limitsResolver().isEmpty() || cluster.onStoreLoss() == null)) {
            warnIfSet();
            return null;
        }
        if (cluster.onStoreLoss() == null) {
            throw refusal(
                    "isn't set, though groups have a " + LimitSetting.CLUSTER_MAX_IN_FLIGHT.property(),
                    "closed, if nothing is to start in these groups while their store is away; or local, if each"
                            + " instance is to go on with its own limits then",
                    "on-store-loss");
        }
        ClusterSettings all = ClusterSettings.of(store()).withOnStoreLoss(cluster.onStoreLoss());
        all = with(all, each -> each.withLease(cluster.lease()), "5s to 60s", "lease");
        all = with(all, each -> each.withIdleReturn(cluster.idleReturn()), "more than zero, at most 1h", "idle-return");
        String name = cluster.nodeName();
        return name == null
                ? all
                : with(all, each -> each.withNodeName(name), "not blank, at most 255 characters", "node-name");
    }

    private void warnIfSet() {
        bound.getObject().under(Set.of(CLUSTER)).stream()
                .findFirst()
                .ifPresent(property -> LOGGER.warn(property.getName() + " has no effect: no group has a "
                        + LimitSetting.CLUSTER_MAX_IN_FLIGHT.property() + " when the application starts."));
    }

    private ClusterStore store() {
        ClusterStore store = stores.getIfAvailable();
        if (store != null) {
            return store;
        }
        String problem = "needs a store by which the instances share";
        throw bound.getObject()
                .first(LimitSetting.CLUSTER_MAX_IN_FLIGHT, Set.of("defaults", "groups", "grouplist"))
                .map(limit -> InvalidSettings.of(limit, problem, STORES, null))
                .orElseGet(() -> refusal(problem, STORES, "on-store-loss"));
    }

    private ClusterSettings with(
            ClusterSettings before, UnaryOperator<ClusterSettings> change, String allowed, String setting) {
        try {
            return change.apply(before);
        } catch (IllegalArgumentException outOfRange) {
            throw refusal("must be " + allowed, allowed, setting);
        }
    }

    private InvalidSettingException refusal(String problem, String allowed, String setting) {
        return bound.getObject().refusal(problem, allowed, null, CLUSTER, setting);
    }
}
