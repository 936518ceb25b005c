package io.github.kobe.spring.autoconfigure;

import static io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.spring.GroupExecutorBuilder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** Makes executors to whose policies the application's beans are added. That of the starter may share limits with other instances. */
final class ComposedExecutors implements GroupExecutorBuilder {

    private final GroupPolicyComposer composer;
    private final SharedLimits shared;

    ComposedExecutors(GroupPolicyComposer composer, SharedLimits shared) {
        this.composer = composer;
        this.shared = shared;
    }

    @Override
    public GroupExecutor build(String beanName, GroupPolicy policy) {
        AtomicReference<GroupExecutor> made = new AtomicReference<>();
        GroupPolicy composed = composer.accompany(
                Objects.requireNonNull(beanName, "beanName"),
                () -> Objects.requireNonNull(made.get(), "the executor isn't made yet"),
                Objects.requireNonNull(policy, "policy"));
        ClusterSettings cluster = beanName.equals(EXECUTOR_BEAN_NAME) ? shared.of(composed) : null;
        GroupExecutor executor = cluster == null
                ? GroupExecutor.newVirtualThreadExecutor(composed)
                : GroupExecutor.newVirtualThreadExecutor(composed, cluster);
        made.set(executor);
        return executor;
    }
}
