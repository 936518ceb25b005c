package io.github.kobe.spring.refresh;

import io.github.kobe.spring.properties.InvalidSettingException;
import io.github.kobe.spring.text.PrintableText;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;

/** Refreshes when Spring Cloud tells that the environment has changed. Knows its event by name: no class of it is needed. */
public final class EnvironmentChangeListener implements SmartApplicationListener {

    /** The event's class. */
    public static final String EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private static final Log LOGGER = LogFactory.getLog(EnvironmentChangeListener.class);

    private final Supplier<GroupConcurrencyRefresher> refresher;

    /**
     * Makes a listener.
     *
     * @param refresher what to do
     */
    public EnvironmentChangeListener(Supplier<GroupConcurrencyRefresher> refresher) {
        this.refresher = refresher;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
        return type.getName().equals(EVENT);
    }

    /** Throws nothing: the event is for others too. */
    @Override
    public void onApplicationEvent(ApplicationEvent event) {
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
}
