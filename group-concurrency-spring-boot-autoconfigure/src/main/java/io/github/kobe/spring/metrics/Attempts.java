package io.github.kobe.spring.metrics;

import io.github.kobe.spring.internal.settings.PrintableText;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Tries each change of a registry. What that, or a filter of the application's, refuses is missing; nothing else is. */
final class Attempts {

    private static final Log LOGGER = LogFactory.getLog(Attempts.class);

    /** How often a registry has refused a meter. */
    private final AtomicInteger refusals = new AtomicInteger();

    /** {@return what tries each change that is about the meters with a value of a tag} */
    Consumer<Runnable> at(String tag, String value) {
        return change -> {
            try {
                change.run();
            } catch (RuntimeException refused) {
                if (refusals.getAndIncrement() == 0) {
                    LOGGER.warn(
                            "A registry refuses a meter with " + tag + "=" + PrintableText.ofKey(value)
                                    + ". It is missing there; later refusals are not logged.",
                            refused);
                }
            }
        };
    }
}
