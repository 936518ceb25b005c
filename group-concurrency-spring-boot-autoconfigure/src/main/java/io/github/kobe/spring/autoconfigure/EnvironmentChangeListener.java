package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.util.Locale;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;

/** Refreshes when a Spring Cloud event says that the environment has changed, and names one of our settings. */
final class EnvironmentChangeListener implements ApplicationListener<EnvironmentChangeEvent> {

    private static final Log LOGGER = LogFactory.getLog(EnvironmentChangeListener.class);

    private final Supplier<GroupConcurrencyRefresher> refresher;

    /**
     * Makes a listener.
     *
     * @param refresher what to do
     */
    EnvironmentChangeListener(Supplier<GroupConcurrencyRefresher> refresher) {
        this.refresher = refresher;
    }

    /** Throws nothing: the event is for others too. */
    @Override
    public void onApplicationEvent(EnvironmentChangeEvent event) {
        if (event.getKeys().stream().noneMatch(EnvironmentChangeListener::isOurs)) {
            return;
        }
        try {
            refresher.get().refresh();
        } catch (InvalidSettingException bad) {
            String value = bad.value() == null ? "" : ", value: \"" + bad.value() + "\"";
            LOGGER.error(PrintableText.inOneLine("The limits stay as they were. " + bad.getMessage() + value
                    + ", origin: " + bad.origin() + ", allowed: " + bad.allowed()));
        } catch (RuntimeException failure) {
            LOGGER.error("The limits stay as they were", failure);
        }
    }

    /** In any spelling. */
    private static boolean isOurs(String key) {
        String uniform = key.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
        return uniform.startsWith("groupconcurrency");
    }
}
