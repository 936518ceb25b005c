package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** The tables, in Markdown. */
final class Report {

    private static final String NONE = "–";

    private final List<Standing> standings = new ArrayList<>();

    void add(Standing standing) {
        standings.add(standing);
    }

    /** {@return everything} */
    String text() {
        List<String> parts = new ArrayList<>();
        for (List<Entrant> field : Entrant.FIELDS) {
            List<Standing> comparisons = standings.stream()
                    .filter(standing -> standing.isAmong(field))
                    .toList();
            if (!comparisons.isEmpty()) {
                parts.add(scores(field, comparisons));
                parts.add(values(field, comparisons));
                parts.add(absences(comparisons));
            }
        }
        parts.add(options());
        return parts.stream().filter(part -> !part.isEmpty()).collect(Collectors.joining("\n"));
    }

    /** What the goals are about: ratios to the reference, or values where the goal is one. */
    private static String scores(List<Entrant> field, List<Standing> comparisons) {
        StringBuilder table = new StringBuilder(header(field, "goal", "met"));
        for (Standing standing : comparisons) {
            Workload workload = standing.workload();
            StringJoiner row = row(workload).add(workload.goal().text(workload.unit()));
            row.add(met(standing));
            field.forEach(
                    entrant -> row.add(standing.score(entrant).map(Spread::text).orElse(NONE)));
            table.append(row).append('\n');
        }
        return table.toString();
    }

    private static String values(List<Entrant> field, List<Standing> comparisons) {
        StringBuilder table = new StringBuilder(header(field, "rounds", "unit"));
        for (Standing standing : comparisons) {
            StringJoiner row = row(standing.workload())
                    .add(Long.toString(standing.fewestRounds()))
                    .add(standing.workload().unit());
            field.forEach(entrant ->
                    row.add(standing.values(entrant).map(Spread::text).orElse(NONE)));
            table.append(row).append('\n');
        }
        return table.toString();
    }

    /** The engine with something, against the engine without if that has been measured too. */
    private String options() {
        StringBuilder rows = new StringBuilder();
        for (Standing standing : standings) {
            if (!standing.isComparison()) {
                Workload workload = standing.workload();
                boolean hasGoal = workload.goal().isOne();
                StringJoiner row = row(workload);
                row.add(hasGoal ? workload.goal().text(workload.unit()) : NONE);
                row.add(hasGoal ? met(standing) : NONE);
                Optional<Spread> without = standing.values(standing.base());
                row.add(without.flatMap(known -> standing.score(standing.subject()))
                        .map(Spread::text)
                        .orElse(NONE));
                row.add(standing.values(standing.subject()).map(Spread::text).orElse(NONE));
                row.add(without.map(Spread::text).orElse(NONE));
                rows.append(row.add(workload.unit())).append('\n');
            }
        }
        return rows.isEmpty()
                ? ""
                : "|  | workload | goal | met | with / without | with | without | unit |\n"
                        + "|---|---|---|---|---|---|---|---|\n" + rows;
    }

    private static String met(Standing standing) {
        return standing.isMet()
                .filter(met -> standing.workload().goal().isOne())
                .map(met -> met ? "yes" : "**no**")
                .orElse(NONE);
    }

    private static String header(List<Entrant> field, String... columns) {
        StringJoiner names = new StringJoiner(" | ", "| ", " |").add("").add("workload");
        List.of(columns).forEach(names::add);
        field.forEach(entrant -> names.add(entrant.title()));
        return names + "\n" + "|---".repeat(2 + columns.length + field.size()) + "|\n";
    }

    private static StringJoiner row(Workload workload) {
        return new StringJoiner(" | ", "| ", " |").add(workload.id()).add(workload.title());
    }

    /** Why somebody doesn't take part. */
    private static String absences(List<Standing> comparisons) {
        StringBuilder lines = new StringBuilder();
        for (Standing standing : comparisons) {
            Workload workload = standing.workload();
            Map<String, List<String>> reasons = new LinkedHashMap<>();
            for (Entrant entrant : workload.entrants()) {
                entrant.lack(workload.needs())
                        .ifPresent(lack -> reasons.computeIfAbsent(lack, reason -> new ArrayList<>())
                                .add(entrant.title()));
            }
            reasons.forEach((reason, absent) -> lines.append(
                    "- %s %s: %s (%s)\n".formatted(workload.id(), NONE, reason, String.join(", ", absent))));
        }
        return lines.toString();
    }

    /** {@return every single measurement} */
    String csv() {
        StringBuilder lines = new StringBuilder("workload,contestant,unit,round,value\n");
        for (Standing standing : standings) {
            standing.measured().forEach((entrant, values) -> {
                for (int round = 0; round < values.length; round++) {
                    lines.append(standing.workload().id()).append(',');
                    lines.append(entrant.title()).append(',');
                    lines.append(standing.workload().unit()).append(',');
                    lines.append(round).append(',').append(values[round]).append('\n');
                }
            });
        }
        return lines.toString();
    }
}
