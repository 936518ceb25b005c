package io.github.kobe.testing;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** A log that formats what the engine logs at once, and throws whatever comes of that, as a user's own may. */
public final class FragileLog extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("io.github.kobe");
    private final SimpleFormatter formatter = new SimpleFormatter();
    private final AtomicInteger formatted = new AtomicInteger();

    private FragileLog() {}

    public static FragileLog open() {
        FragileLog log = new FragileLog();
        log.logger.setUseParentHandlers(false);
        log.logger.addHandler(log);
        return log;
    }

    @Override
    public void publish(LogRecord entry) {
        formatted.incrementAndGet();
        formatter.format(entry);
    }

    /** How often it was asked to log anything. */
    public int asked() {
        return formatted.get();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
