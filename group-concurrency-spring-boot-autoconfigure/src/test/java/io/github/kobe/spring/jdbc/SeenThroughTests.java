package io.github.kobe.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Wrapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** J7: who looks for the pool, or for the driver's connection, finds it. */
@Tag("J7")
class SeenThroughTests {

    private LimitedPool limited;

    @BeforeEach
    void open() {
        limited = LimitedPool.of(3, 1);
    }

    @AfterEach
    void nothingIsOut() throws Exception {
        limited.close();
    }

    // ---- the pool

    @Test
    void theDataSourceLeadsToThePool() throws Exception {
        GroupDataSource dataSource = limited.dataSource;
        for (Class<?> type : List.of(HikariDataSource.class, HikariConfigMXBean.class, DataSource.class)) {
            assertThat(dataSource.isWrapperFor(type)).isTrue();
            assertThat((Object) dataSource.unwrap(type)).isSameAs(limited.pool);
        }
        assertThat(dataSource.isWrapperFor(GroupDataSource.class)).isTrue();
        assertThat(dataSource.unwrap(GroupDataSource.class)).isSameAs(dataSource);
        assertThat(dataSource.isWrapperFor(Runnable.class)).isFalse();
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> dataSource.unwrap(Runnable.class));
    }

    @Test
    void itLeadsThroughOthersToThePool() throws Exception {
        DataSource outside = new DelegatingDataSource(
                GroupDataSource.limit(new DelegatingDataSource(limited.pool), limited.executor, () -> "a"));

        assertThat(outside.unwrap(HikariDataSource.class)).isSameAs(limited.pool);
        assertThat(outside.isWrapperFor(GroupDataSource.class)).isTrue();
    }

    @Test
    void springBootFindsThePoolForItsMetersAndBuilders() throws Exception {
        HikariDataSource found =
                DataSourceUnwrapper.unwrap(limited.dataSource, HikariConfigMXBean.class, HikariDataSource.class);
        assertThat(found).isSameAs(limited.pool);
        assertThat(new HikariDataSourcePoolMetadata(found).getMax()).isEqualTo(3);

        SimpleDriverDataSource ofAMigration = DataSourceBuilder.derivedFrom(limited.dataSource)
                .type(SimpleDriverDataSource.class)
                .username("sa")
                .build();
        assertThat(ofAMigration.getUrl()).isEqualTo(limited.pool.getJdbcUrl());
    }

    @Test
    void itsSettingsAreThoseOfWhatItLimits() throws Exception {
        JdbcDataSource withoutPool = new JdbcDataSource();
        GroupDataSource dataSource = GroupDataSource.limit(withoutPool, limited.executor, () -> "a");
        PrintWriter log = new PrintWriter(new StringWriter());

        dataSource.setLogWriter(log);
        dataSource.setLoginTimeout(7);

        assertThat(withoutPool.getLogWriter()).isSameAs(log).isSameAs(dataSource.getLogWriter());
        assertThat(withoutPool.getLoginTimeout()).isEqualTo(7).isEqualTo(dataSource.getLoginTimeout());
        assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                .isThrownBy(limited.dataSource::getParentLogger);
        assertThat(limited.dataSource).hasToString("GroupDataSource of " + limited.pool);
    }

    @Test
    void theConnectionOfADataSourceThatIsNoPoolIsSeenThrough() throws Exception {
        JdbcDataSource withoutPool = new JdbcDataSource();
        withoutPool.setURL("jdbc:h2:mem:");
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Connection connection =
                        GroupDataSource.limit(withoutPool, executor, () -> "a").getConnection()) {
            assertThat(connection.unwrap(JdbcConnection.class)).isInstanceOf(JdbcConnection.class);
            assertThat(connection.isWrapperFor(JdbcConnection.class)).isTrue();
        }
    }

    // ---- the connection

    @Test
    void aConnectionLeadsToThatOfThePoolAndOfTheDriver() throws Exception {
        try (Connection connection = limited.open("a")) {
            assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
            assertThat(connection.isWrapperFor(Connection.class)).isTrue();
            assertThat(connection.isWrapperFor(JdbcConnection.class)).isTrue();
            assertThat(connection.unwrap(JdbcConnection.class)).isInstanceOf(JdbcConnection.class);
            assertThat(connection.isWrapperFor(Runnable.class)).isFalse();
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connection.unwrap(Runnable.class));
            assertThat(connection.toString()).startsWith("GroupConnection of HikariProxyConnection@");
        }
    }

    @Test
    void whatStatementAndMetaDataNameWorksAndIsThePools() throws Exception {
        try (Connection connection = limited.open("a")) {
            assertThat(connection
                            .createStatement()
                            .getConnection()
                            .getMetaData()
                            .getDatabaseProductName())
                    .isEqualTo("H2");
            assertThat(connection.getMetaData().getConnection())
                    .isSameAs(connection.createStatement().getConnection());
        }
    }

    @Test
    void springsResourcesTakeItForTheOneTheyGaveOut() throws Exception {
        LimitedPool.as("a", () -> {
            Connection connection = DataSourceUtils.getConnection(limited.dataSource);
            assertThat(DataSourceUtils.getTargetConnection(connection)).isSameAs(connection);
            DataSourceUtils.releaseConnection(connection, limited.dataSource);
            return assertThat(connection.isClosed()).isTrue();
        });
    }

    /** {@return the methods that have a meaning of their own here} */
    private static boolean isOwn(Method method) {
        return method.getDeclaringClass() == Wrapper.class
                || Set.of("close", "isClosed", "abort").contains(method.getName());
    }

    static Stream<Method> methodsOfConnections() {
        return Arrays.stream(Connection.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !isOwn(method));
    }

    @ParameterizedTest
    @MethodSource("methodsOfConnections")
    void everyMethodOfAConnectionIsHandedOnWithWhatItWasGiven(Method method) throws Exception {
        List<Object> heard = new ArrayList<>();
        Connection recording = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, called, arguments) -> {
                    heard.add(called);
                    heard.addAll(arguments == null ? List.of() : Arrays.asList(arguments));
                    return valueOf(called.getReturnType());
                });
        Turn turn = new Turn(new AtomicInteger());
        turn.begin(null);
        GroupConnection connection = new GroupConnection(turn, new ThreadConnections(), Thread.currentThread());
        connection.lease.got(recording);
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(SeenThroughTests::valueOf)
                .toArray();

        Object result = method.invoke(connection, arguments);

        List<Object> expected = new ArrayList<>(List.of(method));
        expected.addAll(Arrays.asList(arguments));
        assertThat(heard).isEqualTo(expected);
        assertThat(result).isEqualTo(valueOf(method.getReturnType()));
    }

    @ParameterizedTest
    @MethodSource("methodsOfConnections")
    void whatAMethodOfTheConnectionThrowsIsThrown(Method method) {
        SQLException failure = new SQLClientInfoException();
        Connection failing = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, called, arguments) -> {
                    throw failure;
                });
        Turn turn = new Turn(new AtomicInteger());
        turn.begin(null);
        GroupConnection connection = new GroupConnection(turn, new ThreadConnections(), Thread.currentThread());
        connection.lease.got(failing);

        assertThatExceptionOfType(InvocationTargetException.class)
                .isThrownBy(() -> method.invoke(
                        connection,
                        Arrays.stream(method.getParameterTypes())
                                .map(SeenThroughTests::valueOf)
                                .toArray()))
                .withCause(failure);
    }

    /** {@return a value that tells the arguments from what a method would make up} */
    private static Object valueOf(Class<?> type) {
        if (type == int.class) {
            return 7;
        }
        if (type == boolean.class) {
            return true;
        }
        return type == String.class ? "text" : null;
    }
}
