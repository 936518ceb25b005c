package io.github.kobe.spring.web;

import static io.github.kobe.spring.web.WebServer.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.jdbc.GroupDataSource;
import java.io.Serial;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.CompletableFuture;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** J6: what a client is told if there was no turn for a connection, through whatever wraps that. */
@Tag("J6")
class ConnectionAnswersTests {

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aRejectionForAConnectionIsOneThroughWhateverWrapsIt(WebApplicationType type) throws Exception {
        try (WebServer server = new WebServer(Application.class, type)) {
            for (Way way : Way.values()) {
                HttpResponse<String> answer = server.get("/" + way);

                assertProblem(answer, 429, "GROUP_QUEUE_FULL");
                assertThat(answer.body()).doesNotContain("secret");
            }
            assertProblem(server.get("/own/future"), 429, "GROUP_QUEUE_FULL");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void anExceptionAboveItThatHasAStatusOfItsOwnKeepsIt(WebApplicationType type) throws Exception {
        try (WebServer server = new WebServer(Application.class, type)) {
            assertThat(server.get("/own/status").statusCode()).isEqualTo(502);
            assertThat(server.get("/own/annotated").statusCode()).isEqualTo(410);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void anyOtherFailureOfADatabaseIsNone(WebApplicationType type) throws Exception {
        try (WebServer server = new WebServer(Application.class, type)) {
            assertThat(server.get("/own/other").statusCode()).isEqualTo(500);
        }
    }

    @Test
    void causesInARingAreNone() {
        IllegalStateException first = new IllegalStateException();
        first.initCause(new IllegalStateException(first));

        assertThat(RejectionProblem.of(first)).isEmpty();
    }

    /** How it comes to the handler's end. */
    enum Way {
        BARE {
            @Override
            Object end(GroupDataSource dataSource) throws SQLException {
                return dataSource.getConnection();
            }
        },
        TEMPLATE {
            @Override
            Object end(GroupDataSource dataSource) {
                return new JdbcTemplate(dataSource).queryForObject("select 1", String.class);
            }
        },
        TRANSACTION {
            @Override
            Object end(GroupDataSource dataSource) {
                return new TransactionTemplate(new JdbcTransactionManager(dataSource)).execute(status -> "begun");
            }
        },
        TRANSLATED {
            @Override
            Object end(GroupDataSource dataSource) {
                throw new TransientDataAccessResourceException("translated", rejection(dataSource));
            }
        },
        WRAPPED {
            @Override
            Object end(GroupDataSource dataSource) {
                throw new IllegalStateException(new RuntimeException(rejection(dataSource)));
            }
        };

        abstract Object end(GroupDataSource dataSource) throws SQLException;
    }

    private static SQLException rejection(GroupDataSource dataSource) {
        try (Connection unexpected = dataSource.getConnection()) {
            throw new AssertionError("a turn: " + unexpected);
        } catch (SQLException rejection) {
            return rejection;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Busy.class)
    static class Application {}

    @RestController
    static class Busy implements AutoCloseable {

        private final GroupExecutor turns = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build());
        private final GroupDataSource dataSource;
        private final Connection held;

        Busy() throws Exception {
            JdbcDataSource database = new JdbcDataSource();
            database.setURL("jdbc:h2:mem:");
            dataSource = GroupDataSource.limit(database, turns, () -> "secret");
            CompletableFuture<Connection> opened = new CompletableFuture<>();
            Thread.startVirtualThread(() -> {
                try {
                    opened.complete(dataSource.getConnection());
                } catch (SQLException failure) {
                    opened.completeExceptionally(failure);
                }
            });
            held = opened.get();
        }

        @GetMapping("/{way}")
        Object end(@PathVariable Way way) throws SQLException {
            return way.end(dataSource);
        }

        @GetMapping("/own/future")
        CompletableFuture<String> future() {
            return CompletableFuture.supplyAsync(
                    () -> new JdbcTemplate(dataSource).queryForObject("select 1", String.class), Runnable::run);
        }

        @GetMapping("/own/status")
        String status() {
            throw new ResponseStatusException(HttpStatus.BAD_GATEWAY, "", rejection(dataSource));
        }

        @GetMapping("/own/annotated")
        String annotated() {
            throw new GoneException(rejection(dataSource));
        }

        @GetMapping("/own/other")
        String other() throws SQLException {
            throw new SQLTransientConnectionException("the pool's");
        }

        @Override
        public void close() throws SQLException {
            held.close();
            turns.close();
        }
    }

    @ResponseStatus(HttpStatus.GONE)
    static class GoneException extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;

        GoneException(Throwable cause) {
            super(cause);
        }
    }
}
