package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What is read of events again and again costs as much in a plan with a million of them, also in H2. */
class EventIndexTests {

    @ParameterizedTest
    @ValueSource(strings = {EventRows.UNPUBLISHED, EventRows.LAST_POSITION, EventRows.PAGE, EventRows.PAGE_OF_TENANT})
    void theFirstRowsOfAnIndexAreTheOnesThatAreAskedFor(String sql) {
        String asked = sql;
        for (String value : List.of("'default'", "'p'")) {
            asked = asked.replaceFirst("= \\?", "= " + value);
        }
        asked = asked.replace("tenant_id = ?", "tenant_id = 't'").replace("?", "7");
        try (TestDatabase database = TestDatabase.Product.H2.open()) {
            assertThat(new JdbcTemplate(database.dataSource()).queryForObject("explain " + asked, String.class))
                    .contains("/* index sorted */");
        }
    }
}
