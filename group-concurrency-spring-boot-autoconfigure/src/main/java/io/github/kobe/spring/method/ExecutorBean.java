package io.github.kobe.spring.method;

import io.github.kobe.GroupExecutor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/** The executor that annotated methods run in. It is looked up when the first call needs it. */
final class ExecutorBean {

    private final BeanFactory beans;
    private final String name;

    private volatile @Nullable GroupExecutor known;

    /** @param name the bean's; empty: there is none yet, or one that isn't to be found by its type */
    ExecutorBean(BeanFactory beans, String name) {
        this.beans = beans;
        this.name = name;
    }

    /** Without a lock: making the bean may call annotated methods. */
    GroupExecutor get() {
        GroupExecutor executor = known;
        if (executor == null) {
            executor = name.isEmpty() ? beans.getBean(GroupExecutor.class) : beans.getBean(name, GroupExecutor.class);
            known = executor;
        }
        return executor;
    }
}
