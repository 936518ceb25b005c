package io.github.kobe.spring.internal.executors;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Begins and ends the beans of one type that an application context has made. It makes no bean for that, and beans of
 * ancestors end with those.
 *
 * <p>The end runs on a thread of its own, so that Spring continues when the time of its phase is up.
 *
 * @param <T> the type
 */
public abstract class MadeBeansLifecycle<T> implements SmartLifecycle {

    private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

    private final Class<T> type;
    private final ConfigurableListableBeanFactory beans;
    private final Duration phaseTimeout;
    private final String setting;
    private final Duration period;
    private final String threadName;
    private volatile boolean running;

    /**
     * Makes a lifecycle.
     *
     * @param type the type of the beans
     * @param context the context that makes them
     * @param setting the name of the setting for {@code period}
     * @param period how long the end may wait; it should be shorter than Spring waits for one phase
     * @param threadName the name of the thread that ends the beans
     */
    protected MadeBeansLifecycle(
            Class<T> type, ConfigurableApplicationContext context, String setting, Duration period, String threadName) {
        this.type = type;
        this.beans = context.getBeanFactory();
        this.phaseTimeout = Binder.get(context.getEnvironment())
                .bind(PHASE_TIMEOUT, Duration.class)
                .orElse(Duration.ofSeconds(30));
        this.setting = setting;
        this.period = period;
        this.threadName = threadName;
    }

    /**
     * Begins the existing beans.
     *
     * @param made the beans by their names
     */
    protected void begin(Map<String, T> made) {}

    /**
     * Ends the existing beans, and waits for that.
     *
     * @param made the beans by their names
     */
    protected abstract void end(Map<String, T> made);

    @Override
    public final void start() {
        if (period.compareTo(phaseTimeout) >= 0) {
            LogFactory.getLog(getClass())
                    .warn(setting + " (" + period + ") should be shorter than " + PHASE_TIMEOUT + " (" + phaseTimeout
                            + ")");
        }
        begin(made());
        running = true;
    }

    @Override
    public final boolean isRunning() {
        return running;
    }

    @Override
    public final void stop(Runnable callback) {
        Thread.ofPlatform().name(threadName).start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
    }

    @Override
    public final void stop() {
        end(made());
        running = false;
    }

    private Map<String, T> made() {
        Map<String, T> made = new LinkedHashMap<>();
        for (String name : beans.getBeanNamesForType(type, false, false)) {
            if (beans.containsSingleton(name)) {
                made.put(name, beans.getBean(name, type));
            }
        }
        return made;
    }
}
