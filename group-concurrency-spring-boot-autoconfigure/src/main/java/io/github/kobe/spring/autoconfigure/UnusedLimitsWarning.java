package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration.ExecutorConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration.PolicyConfiguration;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.source.ConfigurationProperty;

/**
 * Refuses limits in the settings that are out of their range, and warns of those that no executor uses, because the
 * application's own executor replaces ours, or its own policy replaces the one that is made from them.
 */
final class UnusedLimitsWarning implements SmartInitializingSingleton {

    private static final Log LOGGER = LogFactory.getLog(UnusedLimitsWarning.class);

    private final ConfiguredPolicy configured;
    private final ListableBeanFactory beans;
    private final ExecutorBeans executors;

    UnusedLimitsWarning(ConfiguredPolicy configured, ListableBeanFactory beans) {
        this.configured = configured;
        this.beans = beans;
        this.executors = new ExecutorBeans(beans);
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<ConfigurationProperty> set = configured.set();
        boolean isPolicyOurs = isHere(PolicyConfiguration.class);
        if (isPolicyOurs) {
            configured.toPolicy(); // fails the start for a bad number, also where the policy is lazy
        }
        if (set.isEmpty() || (isPolicyOurs && isHere(ExecutorConfiguration.class)) || isUsed()) {
            return;
        }
        String others = set.size() == 1 ? "" : " (and " + (set.size() - 1) + " more under the prefix)";
        String why = isPolicyOurs
                ? String.join(", ", executors.defaults())
                        + " replaces the starter's. Make the bean @Bean(defaultCandidate = false) to have both, or"
                        + " make it from the GroupPolicy bean, which has these settings."
                : String.join(", ", BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, GroupPolicy.class))
                        + " replaces the policy that has these settings. A GroupPolicyCustomizer in its place changes"
                        + " that policy instead.";
        LOGGER.warn(PrintableText.inOneLine(
                set.getFirst().getName() + " is set" + others + ", but no executor uses it: the bean " + why));
    }

    private boolean isHere(Class<?> configuration) {
        return beans.getBeanNamesForType(configuration, false, false).length > 0;
    }

    /** {@return whether an executor has some of what is set} The rest is changed on purpose. */
    private boolean isUsed() {
        Set<Object> set = partsOf(configured.toPolicy());
        set.removeAll(partsOf(GroupPolicy.builder().build()));
        return set.isEmpty()
                || executors.all().values().stream()
                        .anyMatch(executor -> !Collections.disjoint(set, partsOf(executor.policy())));
    }

    private static Set<Object> partsOf(GroupPolicy policy) {
        Set<Object> parts = new HashSet<>(policy.groups().entrySet());
        parts.addAll(policy.patterns().entrySet());
        parts.add(policy.defaults());
        parts.add(policy.globalRate());
        parts.add(Map.entry("global.max-in-flight", policy.globalMaxInFlight()));
        parts.add(Map.entry("global.headroom", policy.globalHeadroom()));
        parts.add(Map.entry("global.queue-threshold", policy.globalQueueThreshold()));
        return parts;
    }
}
