package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** What is read of events again and again costs as much in a plan with a million of them: an index has their order. */
class EventIndexTests {

    private static final List<String> READ =
            List.of(EventRows.UNPUBLISHED, EventRows.PAGE, EventRows.LAST_POSITION, EventRows.UNPLACED);

    static Stream<Arguments> products() {
        return TestDatabase.Product.ofThisDepth().stream()
                .flatMap(product -> READ.stream().map(sql -> Arguments.of(product, sql)));
    }

    @ParameterizedTest
    @MethodSource("products")
    void whatIsAskedForIsNotSorted(TestDatabase.Product product, String sql) throws Exception {
        String asked = sql.replaceFirst("= \\?", "= 'default'")
                .replaceFirst("= \\?", "= 'p'")
                .replace("?", "7");
        try (TestDatabase database = product.open();
                Connection connection = database.dataSource().getConnection()) {
            String plan = plan(new JdbcTemplate(new SingleConnectionDataSource(connection, true)), product, asked);
            if (product == TestDatabase.Product.H2) {
                assertThat(plan).contains("/* index sorted */");
            } else {
                assertThat(plan).contains("Index").doesNotContain("Sort");
            }
        }
    }

    /** PostgreSQL would rather read and sort what is only a few rows. */
    private static String plan(JdbcTemplate connection, TestDatabase.Product product, String sql) throws SQLException {
        if (product == TestDatabase.Product.POSTGRESQL) {
            for (String way : List.of("seqscan", "bitmapscan", "sort", "incremental_sort")) {
                connection.execute("set enable_" + way + " = off");
            }
        }
        return String.join("\n", connection.queryForList("explain " + sql, String.class));
    }
}
