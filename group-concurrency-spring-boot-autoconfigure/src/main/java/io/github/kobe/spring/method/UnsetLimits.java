package io.github.kobe.spring.method;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Warns of groups of annotated methods that have the built-in limits, because none are set: the first such group of
 * each annotation's text, when it is first called. Afterwards a call only reads a field.
 */
final class UnsetLimits {

    private static final Log LOGGER = LogFactory.getLog(UnsetLimits.class);
    private static final GroupLimits BUILT_IN = GroupPolicy.builder().build().defaults();

    private final Environment environment;
    private final Set<String> named = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Boolean defaultsSet;

    UnsetLimits(Environment environment) {
        this.environment = environment;
    }

    /** {@return what looks at the calls of a method whose group the annotation tells by {@code text}} */
    Watch watch(String text) {
        return new Watch(text);
    }

    /** Binds once: a method whose groups are all named exactly is looked at by each of its calls. */
    private boolean areDefaultsSet() {
        Boolean known = defaultsSet;
        if (known == null) {
            known = Binder.get(environment)
                    .bind(GroupConcurrencyProperties.PREFIX + ".defaults", Bindable.mapOf(String.class, Object.class))
                    .isBound();
            defaultsSet = known;
        }
        return known;
    }

    /** Looks at the calls of one method, until it has seen enough. */
    final class Watch {

        private final String text;

        /** Without a fence: whoever doesn't see it looks once more. */
        private boolean over;

        private Watch(String text) {
            this.text = text;
        }

        void look(GuardedMethod method, String groupKey, GroupExecutor executor) {
            if (!over) {
                over = hasSeenEnough(method, groupKey, executor);
            }
        }

        private boolean hasSeenEnough(GuardedMethod method, String groupKey, GroupExecutor executor) {
            GroupPolicy policy = executor.policy();
            if (!policy.defaults().equals(BUILT_IN)
                    || policy.limitsResolver().isPresent()
                    || policy.concurrencyResolver().isPresent()
                    || areDefaultsSet()) {
                return true;
            }
            if (policy.groups().containsKey(groupKey)) {
                return false; // of others that the same text gives nothing is known
            }
            if (policy.explain(groupKey).rule().isEmpty() && named.add(text)) {
                LOGGER.warn("The group '" + PrintableText.ofKey(groupKey) + "' of "
                        + InvalidGroupConcurrentException.nameOf(method.method())
                        + " has the built-in limits, because none are configured: one call at a time, while any"
                        + " number of others wait" + (method.queueTimeout() == null ? " for as long as it takes" : "")
                        + ". Set limits for the group, for a pattern or under "
                        + GroupConcurrencyProperties.PREFIX + ".defaults.");
            }
            return true;
        }
    }
}
