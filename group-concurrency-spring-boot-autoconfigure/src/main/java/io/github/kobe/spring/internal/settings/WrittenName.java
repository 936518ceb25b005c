package io.github.kobe.spring.internal.settings;

import java.util.function.Consumer;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The name of a setting as it is written, before binding. */
record WrittenName(String name, EnumerablePropertySource<?> source) {

    /**
     * Shows each name, in the order of the sources. Environment variables are left out: their names are always changed, and
     * how they were meant is unknown.
     */
    static void each(ConfigurableEnvironment environment, Consumer<WrittenName> look) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable
                    && !(source instanceof SystemEnvironmentPropertySource)) {
                for (String name : enumerable.getPropertyNames()) {
                    look.accept(new WrittenName(name, enumerable));
                }
            }
        }
    }

    Origin origin() {
        return PropertySourceOrigin.get(source, name);
    }
}
