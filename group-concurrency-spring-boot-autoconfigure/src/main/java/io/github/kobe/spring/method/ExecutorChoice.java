package io.github.kobe.spring.method;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The executors that annotations name, or the default one if they name none. Each is looked up once, and must exist.
 */
final class ExecutorChoice {

    private final ExecutorBeans executors;
    private final Map<String, Supplier<GroupExecutor>> byName = new ConcurrentHashMap<>();

    ExecutorChoice(ListableBeanFactory beans) {
        this.executors = new ExecutorBeans(beans);
    }

    /**
     * Finds an executor.
     *
     * @param name the bean's; empty: the only one, or the primary one
     * @param element where the annotation is
     * @throws InvalidGroupConcurrentException if there is none of that name, or several that could be meant
     */
    Supplier<GroupExecutor> find(String name, AnnotatedElement element) {
        Supplier<GroupExecutor> known = byName.get(name);
        if (known == null) {
            known = executors.lazily(name.isEmpty() ? requireOneDefault(element) : requireNamed(name, element));
            byName.put(name, known);
        }
        return known;
    }

    private String requireNamed(String name, AnnotatedElement element) {
        if (!executors.has(name)) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "has the executor \"" + name + "\", and there is no GroupExecutor bean of that name",
                    "Name a bean of the type " + GroupExecutor.class.getName() + ", of which there are: "
                            + String.join(", ", executors.names()) + ", or leave the executor out.");
        }
        return name;
    }

    /** {@return the name of the one that is meant; empty: there is none, which the first call tells} */
    private String requireOneDefault(AnnotatedElement element) {
        List<String> defaults = executors.defaults();
        if (defaults.size() > 1) {
            throw new InvalidGroupConcurrentException(
                    element,
                    "names no executor, and there are several: " + String.join(", ", defaults),
                    "Name one of them as the executor, or make one of the beans @Primary and the others"
                            + " @Bean(defaultCandidate = false).");
        }
        return defaults.isEmpty() ? "" : defaults.getFirst();
    }
}
