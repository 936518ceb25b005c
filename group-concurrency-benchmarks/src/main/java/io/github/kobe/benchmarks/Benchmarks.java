package io.github.kobe.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Runs workloads and writes the tables: {@code Benchmarks FOLDER COMMIT SIZE WARMUPS ROUNDS WORKLOADS}. BenchmarksTests
 * starts it.
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
        for (Entrant entrant : Entrant.values()) {
            LimitCheck.of(entrant);
        }
        for (Workload workload : Workloads.named(Set.of(args[5].split(",")), size)) {
            benchmarks.run(workload, rounds);
        }
        System.out.println(benchmarks.head + benchmarks.report.text());
    }

    /** Writes everything anew after each workload, so that a run may be broken off. */
    private void run(Workload workload, Rounds rounds) throws Exception {
        Map<Entrant, double[]> measured = rounds.of(workload);
        Standing standing = new Standing(workload, measured);
        report.add(standing);
        Files.writeString(folder.resolve("table.md"), head + report.text());
        Files.writeString(folder.resolve("rounds.csv"), report.csv());
        System.out.println(workload.id() + ": "
                + standing.score(Entrant.OURS).map(Spread::text).orElse("") + ", goal "
                + workload.goal().text(workload.unit()));
    }
}
