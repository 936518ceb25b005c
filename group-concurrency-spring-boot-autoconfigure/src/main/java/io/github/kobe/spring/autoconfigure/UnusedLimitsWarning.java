package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.source.ConfigurationProperty;

/** Warns of limits in the settings that no executor uses, because the application's own executor replaces ours. */
final class UnusedLimitsWarning implements SmartInitializingSingleton {

    private static final Log LOGGER = LogFactory.getLog(UnusedLimitsWarning.class);

    private final ConfiguredPolicy configured;
    private final ExecutorBeans executors;

    UnusedLimitsWarning(ConfiguredPolicy configured, ListableBeanFactory beans) {
        this.configured = configured;
        this.executors = new ExecutorBeans(beans);
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<ConfigurationProperty> set = configured.set();
        if (set.isEmpty() || executors.all().values().stream().anyMatch(executor -> has(executor.policy()))) {
            return;
        }
        String others = set.size() == 1 ? "" : " (and " + (set.size() - 1) + " more under the prefix)";
        LOGGER.warn(PrintableText.inOneLine(set.getFirst().getName() + " is set" + others
                + ", but no executor uses it: the bean " + String.join(", ", executors.defaults())
                + " replaces the starter's. Make the bean @Bean(defaultCandidate = false) to have both, or"
                + " make it from the GroupPolicy bean, which has these settings."));
    }

    private boolean has(GroupPolicy policy) {
        GroupPolicy settings = configured.toPolicy();
        return policy.defaults().equals(settings.defaults())
                && policy.groups().equals(settings.groups())
                && policy.patterns().equals(settings.patterns())
                && policy.globalMaxInFlight() == settings.globalMaxInFlight()
                && policy.globalHeadroom() == settings.globalHeadroom()
                && policy.globalRate().equals(settings.globalRate())
                && policy.globalQueueThreshold() == settings.globalQueueThreshold();
    }
}
