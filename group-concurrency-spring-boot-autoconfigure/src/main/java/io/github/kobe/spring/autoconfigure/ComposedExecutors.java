package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.GroupExecutorBuilder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** Makes executors to whose policies the application's beans are added. */
final class ComposedExecutors implements GroupExecutorBuilder {

    private final GroupPolicyComposer composer;

    ComposedExecutors(GroupPolicyComposer composer) {
        this.composer = composer;
    }

    @Override
    public GroupExecutor build(String beanName, GroupPolicy policy) {
        AtomicReference<GroupExecutor> made = new AtomicReference<>();
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(composer.accompany(
                Objects.requireNonNull(beanName, "beanName"),
                () -> Objects.requireNonNull(made.get(), "the executor isn't made yet"),
                Objects.requireNonNull(policy, "policy")));
        made.set(executor);
        return executor;
    }
}
