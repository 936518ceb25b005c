package io.github.kobe.spring.internal.executors;

import io.github.kobe.GroupExecutor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/** The executors of an application context and its ancestors; by name also beans that can't be found by type. */
public final class ExecutorBeans {

    private final ListableBeanFactory beans;

    /** What was found last, since Spring would look through all beans each time. */
    private volatile @Nullable Found last;

    /** The names, and how many beans there were when they were found. */
    private record Found(Set<String> names, int beans) {}

    /**
     * Refers to a context, without making any executor.
     *
     * @param beans the context's beans
     */
    public ExecutorBeans(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /** {@return the names of the executors' beans} */
    public Set<String> names() {
        int count = count(beans);
        Found known = last;
        if (known == null || known.beans != count) {
            known = new Found(find(), count);
            last = known;
        }
        return known.names;
    }

    /** {@return how many definitions and objects a context and its ancestors have, since either may show a bean} */
    private static int count(@Nullable BeanFactory context) {
        int own = context instanceof ConfigurableListableBeanFactory counted
                ? counted.getBeanDefinitionCount() + counted.getSingletonCount()
                : 0;
        return own + (context instanceof HierarchicalBeanFactory child ? count(child.getParentBeanFactory()) : 0);
    }

    private Set<String> find() {
        Set<String> names = new LinkedHashSet<>();
        for (String name :
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, GroupExecutor.class, true, false)) {
            BeanDefinition definition = definition(beans, name);
            if (definition == null || definition.isAutowireCandidate()) {
                names.add(name);
            }
        }
        return Collections.unmodifiableSet(names);
    }

    /**
     * {@return whether there is an executor of a name, also one that can't be found by its type}
     *
     * @param name the bean's
     */
    public boolean has(String name) {
        return beans.containsBean(name) && beans.isTypeMatch(name, GroupExecutor.class);
    }

    /**
     * {@return what looks an executor up when it is first asked, and knows it from then on} It has no lock: making the bean
     * may ask it too.
     *
     * @param name the bean's; empty: the default one; if none or several could be it, what Spring finds by the type, or its
     *     exception
     */
    public Supplier<GroupExecutor> lazily(String name) {
        AtomicReference<@Nullable GroupExecutor> known = new AtomicReference<>();
        return () -> {
            GroupExecutor executor = known.get();
            if (executor == null) {
                executor = name.isEmpty()
                        ? theDefault().orElseGet(() -> beans.getBean(GroupExecutor.class))
                        : beans.getBean(name, GroupExecutor.class);
                known.set(executor);
            }
            return executor;
        };
    }

    /** {@return all executors by the names of their beans; makes those that don't exist yet} */
    public Map<String, GroupExecutor> all() {
        Map<String, GroupExecutor> executors = new LinkedHashMap<>();
        for (String name : names()) {
            executors.put(name, beans.getBean(name, GroupExecutor.class));
        }
        return executors;
    }

    /**
     * {@return the names of the candidates for the default executor: from the nearest context with such beans the
     * primary one, else those that are default candidates, else the only one} If there is one, it is the default; if
     * there are several, the application has to choose.
     */
    public List<String> defaults() {
        List<String> found = defaultsOf(beans);
        List<String> all = found.isEmpty() ? List.copyOf(names()) : List.of();
        return all.size() == 1 ? all : found;
    }

    /** {@return the default executor; empty if no bean or several could be it} It is made if it doesn't exist yet. */
    public Optional<GroupExecutor> theDefault() {
        List<String> candidates = defaults();
        return candidates.size() == 1
                ? Optional.of(beans.getBean(candidates.getFirst(), GroupExecutor.class))
                : Optional.empty();
    }

    private static List<String> defaultsOf(@Nullable BeanFactory context) {
        if (!(context instanceof ListableBeanFactory own)) {
            return List.of();
        }
        List<String> primary = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String name : own.getBeanNamesForType(GroupExecutor.class, true, false)) {
            BeanDefinition definition = definition(own, name);
            if (definition != null && definition.isPrimary()) {
                primary.add(name);
            } else if (definition == null || isDefaultCandidate(definition)) {
                others.add(name);
            }
        }
        if (!primary.isEmpty()) {
            return primary;
        }
        return others.isEmpty() && own instanceof HierarchicalBeanFactory child
                ? defaultsOf(child.getParentBeanFactory())
                : others;
    }

    private static boolean isDefaultCandidate(BeanDefinition definition) {
        return definition.isAutowireCandidate()
                && !definition.isFallback()
                && (!(definition instanceof AbstractBeanDefinition own) || own.isDefaultCandidate());
    }

    /** {@return how a bean is defined; {@code null} where it was registered as it is} */
    private static @Nullable BeanDefinition definition(@Nullable BeanFactory factory, String name) {
        if (factory instanceof ConfigurableListableBeanFactory own && own.containsBeanDefinition(name)) {
            return own.getMergedBeanDefinition(name);
        }
        return factory instanceof HierarchicalBeanFactory child && !child.containsLocalBean(name)
                ? definition(child.getParentBeanFactory(), name)
                : null;
    }
}
