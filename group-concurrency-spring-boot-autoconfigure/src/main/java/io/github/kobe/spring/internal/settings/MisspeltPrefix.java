package io.github.kobe.spring.internal.settings;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns of settings under a name that is nearly our prefix: nobody reads them. It is no more than a warning, since such a name may
 * be somebody else's prefix.
 */
final class MisspeltPrefix {

    private static final Log LOGGER = LogFactory.getLog(MisspeltPrefix.class);

    private final List<WrittenName> found = new ArrayList<>();

    /** Looks at the beginning of a name. */
    void look(WrittenName written) {
        if (KnownNames.isNearlyPrefix(firstOf(written.name()))) {
            found.add(written);
        }
    }

    /** Writes one line at most. */
    void warn() {
        if (!found.isEmpty()) {
            WrittenName first = found.getFirst();
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
