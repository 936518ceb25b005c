package io.github.kobe.sample;

import io.github.kobe.testing.Markdown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The board for Grafana. */
final class Board {

    /**
     * What a panel asks for.
     *
     * @param panel its title
     * @param expression as Grafana has it, with its variables
     * @param legend what a line is called, with the labels of its series
     */
    record Query(String panel, String expression, String legend) {

        /** {@return what the line of a series is called} */
        String name(Map<String, String> labels) {
            return Pattern.compile("\\{\\{(\\w+)}}")
                    .matcher(legend)
                    .replaceAll(label -> quoted(labels.getOrDefault(label.group(1), "")));
        }

        /** {@return the expression as Grafana sends it} */
        String with(Map<String, String> variables) {
            return Pattern.compile("\\$(\\w+)")
                    .matcher(expression)
                    .replaceAll(name -> quoted(variables.get(name.group(1))));
        }

        private static String quoted(String value) {
            return Matcher.quoteReplacement(value);
        }
    }

    private final JsonNode json;

    private Board(JsonNode json) {
        this.json = json;
    }

    static Board read() {
        return new Board(
                JsonMapper.shared().readTree(Markdown.repository().resolve("docs/grafana/group-concurrency.json")));
    }

    JsonNode json() {
        return json;
    }

    List<Query> queries() {
        List<Query> queries = new ArrayList<>();
        for (JsonNode panel : json.get("panels")) {
            for (JsonNode target : panel.path("targets")) {
                queries.add(new Query(
                        panel.get("title").asString(),
                        target.get("expr").asString(),
                        target.get("legendFormat").asString()));
            }
        }
        return queries;
    }

    List<Query> queries(String panel) {
        return queries().stream().filter(query -> query.panel().equals(panel)).toList();
    }

    /** {@return what the variables are filled with, in their order: each as {@code label_values(metric, label)}} */
    Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        for (JsonNode variable : json.at("/templating/list")) {
            if (variable.get("type").asString().equals("query")) {
                variables.put(
                        variable.get("name").asString(),
                        variable.at("/query/query").asString());
            }
        }
        return variables;
    }
}
