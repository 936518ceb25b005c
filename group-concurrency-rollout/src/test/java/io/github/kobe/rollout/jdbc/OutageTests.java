package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.UncategorizedSQLException;

/** What a database says, and whether it may do later what it doesn't do now. */
class OutageTests {

    private static Throwable saying(String state) {
        return new UncategorizedSQLException("a task", "a statement", new SQLException("a reason", state));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"08006", "53300", "57P01", "58030", "25P03", "25006", "55P03"})
    @Tag("R122")
    void whatMayComeThroughLaterIsTriedAgain(String state) {
        assertThat(Outage.explains(saying(state))).isTrue();
    }

    @Test
    @Tag("R122")
    void whatIsWrongIsRefused() {
        assertThat(Outage.explains(saying("22021"))).isFalse();
        assertThat(Outage.explains(new IllegalStateException("no key"))).isFalse();
    }
}
