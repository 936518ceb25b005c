package io.github.kobe.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Runs workloads and writes the tables: {@code Benchmarks FOLDER COMMIT SIZE WARMUPS ROUNDS WHAT}, which is {@code
 * all}, some workloads with commas between them, {@code curves} or {@code jmh}. BenchmarksTests starts it.
 */
@SuppressWarnings("SystemOut") // it is a command
final class Benchmarks {

    private final Report report = new Report();
    private final Path folder;
    private final String head;

    private Benchmarks(Path folder, String commit) throws IOException {
        this.folder = Files.createDirectories(folder);
        head = "Commit " + commit + ", " + Machine.text() + ".\n\n";
    }

    public static void main(String[] args) throws Exception {
        Benchmarks benchmarks = new Benchmarks(Path.of(args[0]), args[1]);
        Size size = Size.valueOf(args[2].toUpperCase(Locale.ROOT));
        Rounds rounds = new Rounds(Integer.parseInt(args[3]), Integer.parseInt(args[4]));
        switch (args[5]) {
            case "jmh" -> {
                check(Entrant.FIELD);
                Jmh.run(benchmarks.folder, size);
            }
            case "curves" -> {
                check(Entrant.FIELD);
                Curves.run(benchmarks.folder, size, rounds);
            }
            default -> benchmarks.run(Workloads.named(Set.of(args[5].split(",")), size), rounds);
        }
    }

    private static void check(Collection<Entrant> entrants) throws Exception {
        for (Entrant entrant : entrants) {
            LimitCheck.of(entrant);
        }
    }

    private void run(List<Workload> workloads, Rounds rounds) throws Exception {
        check(workloads.stream()
                .flatMap(workload -> workload.entrants().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new)));
        for (Workload workload : workloads) {
            run(workload, rounds);
        }
        System.out.println(head + report.text());
    }

    /** Writes everything anew after each workload, so that a run may be broken off. */
    private void run(Workload workload, Rounds rounds) throws Exception {
        Map<Entrant, double[]> measured = rounds.of(workload);
        Standing standing = new Standing(workload, measured);
        report.add(standing);
        Files.writeString(folder.resolve("table.md"), head + report.text());
        Files.writeString(folder.resolve("rounds.csv"), report.csv());
        System.out.println(workload.id() + ": "
                + standing.score(standing.subject()).map(Spread::text).orElse("") + ", goal "
                + workload.goal().text(workload.unit()));
    }
}
