package io.github.kobe.benchmarks;

import io.github.kobe.testing.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** One run of the benchmarks in a process of its own, on the Java that runs the tests, whichever runs Maven. */
final class BenchmarksRun {

    private static final String ASKED = System.getProperty("benchmarks");
    private static final String WHAT = ASKED == null ? "all" : ASKED;
    private static final Size SIZE = ASKED == null ? Size.SMALL : Size.FULL;
    private static final String WARMUPS = System.getProperty("benchmarks.warmups", ASKED == null ? "0" : "5");
    private static final String ROUNDS = System.getProperty("benchmarks.rounds", ASKED == null ? "1" : "15");
    private static final String JVM =
            System.getProperty("benchmarks.jvm", ASKED == null ? "-Xmx256m" : "-Xms6g -Xmx6g");

    /** When it has hung, and is ended: small, it takes some seconds. */
    private static final Duration LIMIT = ASKED == null ? Duration.ofMinutes(5) : Duration.ofDays(1);

    private final Path folder;

    private BenchmarksRun(Path folder) {
        this.folder = folder;
    }

    /** Small in a plain build; as the system properties say otherwise. */
    static BenchmarksRun asAsked(Path folder) {
        return new BenchmarksRun(folder.resolve(SIZE.name().toLowerCase(Locale.ROOT)));
    }

    /** {@return the file that it leaves} */
    Path result() {
        return folder.resolve(
                switch (WHAT) {
                    case "curves" -> "curves.svg";
                    case "jmh" -> "jmh.json";
                    default -> "table.md";
                });
    }

    /** {@return what is to be found there} */
    List<String> ids() {
        return switch (WHAT) {
            case "curves", "jmh" -> List.of();
            default ->
                Workloads.named(Set.of(WHAT.split(",")), SIZE).stream()
                        .map(Workload::id)
                        .toList();
        };
    }

    /** Runs them; what they print can be read meanwhile in {@code output.log} beside the result. */
    ChildProcess.Ended start() throws IOException, InterruptedException {
        return ChildProcess.java(
                        Stream.concat(Stream.of(JVM.strip().split(" +")), JdkScopes.options().stream())
                                .toList(),
                        Benchmarks.class,
                        List.of(folder.toString(), commit(), SIZE.name(), WARMUPS, ROUNDS, WHAT))
                .into(Files.createDirectories(folder).resolve("output.log"))
                .run(LIMIT);
    }

    private static String commit() throws InterruptedException {
        try {
            ChildProcess.Ended git = ChildProcess.of(List.of("git", "describe", "--always", "--dirty"))
                    .run(Duration.ofMinutes(1));
            return git.exitValue() == 0 ? git.output().strip() : "unknown";
        } catch (IOException none) {
            return "unknown";
        }
    }
}
