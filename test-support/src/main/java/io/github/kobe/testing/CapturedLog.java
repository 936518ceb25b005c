package io.github.kobe.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the engine logs while it is open, kept instead of being printed. */
public final class CapturedLog extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("io.github.kobe");
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    private CapturedLog() {}

    public static CapturedLog open() {
        CapturedLog log = new CapturedLog();
        log.setLevel(Level.ALL);
        log.logger.setUseParentHandlers(false);
        log.logger.addHandler(log);
        return log;
    }

    @Override
    public void publish(LogRecord entry) {
        records.add(entry);
    }

    /** The texts of what was logged as a warning or worse. */
    public List<String> warnings() {
        return texts(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue());
    }

    /** The texts of what was logged as information. */
    public List<String> infos() {
        return texts(entry -> entry.getLevel().equals(Level.INFO));
    }

    /** The texts of all that was logged. */
    public List<String> all() {
        return texts(entry -> true);
    }

    private List<String> texts(Predicate<LogRecord> wanted) {
        SimpleFormatter formatter = new SimpleFormatter();
        return records.stream().filter(wanted).map(formatter::formatMessage).toList();
    }

    /** The errors that came with what was logged as a warning or worse. */
    public List<Throwable> thrown() {
        return records.stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogRecord::getThrown)
                .toList();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
