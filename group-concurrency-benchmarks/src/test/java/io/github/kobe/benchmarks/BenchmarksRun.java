package io.github.kobe.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

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
    private static final long MINUTES = ASKED == null ? 5 : TimeUnit.DAYS.toMinutes(1);

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

    /** Runs them, shows what they print, and returns the process's exit value. */
    @SuppressWarnings("SystemOut") // whoever has started it wants to see the table
    int start() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(JVM.strip().split(" +")));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Benchmarks.class.getName()));
        command.addAll(List.of(folder.toString(), commit(), SIZE.name(), WARMUPS, ROUNDS, WHAT));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        CompletableFuture.delayedExecutor(MINUTES, TimeUnit.MINUTES).execute(process::destroyForcibly);
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines().forEach(System.out::println);
            return process.waitFor();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String commit() throws InterruptedException {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty").start();
            try (BufferedReader output = git.inputReader(StandardCharsets.UTF_8)) {
                String name = output.readLine();
                return git.waitFor() == 0 && name != null ? name : "unknown";
            }
        } catch (IOException none) {
            return "unknown";
        }
    }
}
