package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The board is one that any Grafana from 10 up takes as it is. */
class BoardTests {

    private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");
    private static final Set<String> OF_GRAFANA = Set.of("__rate_interval", "__range");

    private final Board board = Board.read();

    private List<JsonNode> panels() {
        List<JsonNode> panels = new ArrayList<>();
        board.json().get("panels").forEach(panels::add);
        return panels;
    }

    @Test
    void itBelongsToNoGrafanaAndToNoDataSource() {
        assertThat(board.json().get("id").isNull()).isTrue();
        assertThat(board.json().get("uid").asString()).isEqualTo("group-concurrency");
        assertThat(board.json().get("schemaVersion").intValue()).isEqualTo(38);
        assertThat(board.json().findValues("datasource"))
                .extracting(source -> source.get("uid").asString())
                .isNotEmpty()
                .containsOnly("${datasource}");
    }

    @Test
    void everyVariableOfAQueryIsThereAndTakesSeveralValues() {
        Set<String> known = new HashSet<>(OF_GRAFANA);
        known.addAll(board.variables().keySet());

        assertThat(board.variables().keySet()).containsExactly("application", "instance", "executor", "group");
        for (JsonNode variable : board.json().at("/templating/list")) {
            boolean isSource = variable.get("type").asString().equals("datasource");
            assertThat(variable.get("multi").booleanValue()).isNotEqualTo(isSource);
        }
        assertThat(board.queries())
                .isNotEmpty()
                .allSatisfy(query -> assertThat(
                                VARIABLE.matcher(query.expression()).results().map(found -> found.group(1)))
                        .isNotEmpty()
                        .isSubsetOf(known));
    }

    @Test
    void panelsHaveAnIdEachAndAPlaceEach() {
        Set<Integer> ids = new HashSet<>();
        Set<List<Integer>> taken = new HashSet<>();
        for (JsonNode panel : panels()) {
            assertThat(ids.add(panel.get("id").intValue())).isTrue();
            JsonNode place = panel.get("gridPos");
            int right = place.get("x").intValue() + place.get("w").intValue();
            int below = place.get("y").intValue() + place.get("h").intValue();
            assertThat(right).isLessThanOrEqualTo(24);
            for (int x = place.get("x").intValue(); x < right; x++) {
                for (int y = place.get("y").intValue(); y < below; y++) {
                    assertThat(taken.add(List.of(x, y)))
                            .as(panel.get("title").asString())
                            .isTrue();
                }
            }
        }
    }
}
