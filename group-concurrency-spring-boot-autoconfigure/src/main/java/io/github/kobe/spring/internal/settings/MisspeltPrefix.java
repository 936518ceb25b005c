package io.github.kobe.spring.internal.settings;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Warns of settings under a name that is nearly our prefix: nobody reads them. It is no more than a warning, since such a name may
 * be somebody else's prefix. Environment variables are left out, since where their first name ends is unknown.
 */
final class MisspeltPrefix {

    private static final Log LOGGER = LogFactory.getLog(MisspeltPrefix.class);

    private record Misspelt(String name, Origin origin) {}

    private MisspeltPrefix() {}

    /** Looks at the beginning of each name once, and writes one line at most. */
    static void warn(ConfigurableEnvironment environment) {
        List<Misspelt> found = new ArrayList<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable
                    && !(source instanceof SystemEnvironmentPropertySource)) {
                for (String name : enumerable.getPropertyNames()) {
                    if (KnownNames.isNearlyPrefix(firstOf(name))) {
                        found.add(new Misspelt(name, PropertySourceOrigin.get(source, name)));
                    }
                }
            }
        }
        if (!found.isEmpty()) {
            Misspelt first = found.getFirst();
            String others = found.size() == 1 ? "" : " (and " + (found.size() - 1) + " more)";
            LOGGER.warn(PrintableText.inOneLine("Setting '" + first.name() + "' (" + first.origin() + ")" + others
                    + " isn't under '" + GroupConcurrencyProperties.PREFIX
                    + "', so the starter doesn't read it. Did you"
                    + " mean '" + GroupConcurrencyProperties.PREFIX
                    + first.name().substring(firstOf(first.name()).length())
                    + "'?"));
        }
    }

    private static String firstOf(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }
}
