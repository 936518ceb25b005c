package io.github.kobe.sample;

import io.github.kobe.testing.Gate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Holds whoever wants a connection while the gate is shut, and counts them. */
final class GatedDatabase implements BeanPostProcessor {

    private final AtomicInteger waiting = new AtomicInteger();
    private volatile Gate gate = new Gate();

    GatedDatabase() {
        open();
    }

    void shut() {
        gate = new Gate();
    }

    void open() {
        gate.open();
    }

    int waiting() {
        return waiting.get();
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource source ? new Gated(source) : bean;
    }

    private final class Gated extends DelegatingDataSource {

        Gated(DataSource source) {
            super(source);
        }

        @Override
        public Connection getConnection() throws SQLException {
            waiting.incrementAndGet();
            try {
                gate.pass();
            } catch (InterruptedException interrupted) {
                throw new SQLException(interrupted);
            } finally {
                waiting.decrementAndGet();
            }
            return super.getConnection();
        }
    }
}
