package io.github.kobe.model;

import io.github.kobe.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Explores a Promela model exhaustively: has Spin generate the verifier, compiles it, runs it, reads its report. */
final class Spin {

    /** Where the models are, from the module's directory, in which its tests run. */
    static final Path MODELS = Path.of("src", "test", "promela").toAbsolutePath();

    private static final Pattern FIGURES = Pattern.compile("errors: (\\d+)\\s+(\\d+) states, stored");
    private static final int LAST_LINES = 300;

    /** Deep enough for all configurations; one that is deeper is not complete, which the report tells. */
    private static final String DEPTH = "-m100000";

    private final Path work;
    private final boolean large;

    /** Works in an empty directory; {@code large} takes longer to compile and more memory, and explores faster. */
    Spin(Path work, boolean large) {
        this.work = work;
        this.large = large;
    }

    /** What came of an exploration. */
    record Report(long errors, long states, boolean complete, String text) {}

    static boolean isInstalled() {
        return answers("spin", "-V") && answers("gcc", "--version");
    }

    /** {@return what Spin says of itself} */
    static String version() {
        try {
            return ChildProcess.of(List.of("spin", "-V"))
                    .run(Duration.ofMinutes(1))
                    .output();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean answers(String... command) {
        try {
            return ChildProcess.of(List.of(command)).run(Duration.ofMinutes(1)).exitValue() == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Looks at every state for a failed assertion, and for one from which nobody can go on. */
    Report explore(String model, List<String> defines) {
        return explore(model, defines, List.of("-DSAFETY", "-DNOCLAIM"), List.of());
    }

    /** Looks for an endless run, fair to every process, in which the claim never comes true. */
    Report explore(String model, List<String> defines, String claim) {
        return explore(model, defines, List.of("-DNFAIR=4"), List.of("-a", "-f", "-N", claim));
    }

    private Report explore(String model, List<String> defines, List<String> compiled, List<String> run) {
        Path file = MODELS.resolve(model + ".pml");
        List<String> generate = new ArrayList<>(List.of("spin", "-a"));
        defines.forEach(define -> generate.add("-D" + define));
        generate.add(file.toString());
        String generated = run(generate);
        if (!Files.exists(work.resolve("pan.c")) || generated.contains("Error:")) {
            throw new AssertionError("Spin can't read " + file + ":\n" + generated);
        }

        List<String> compile = new ArrayList<>(List.of("gcc", "-w", large ? "-O2" : "-O0", "-DCOLLAPSE"));
        compile.add("-DVECTORSZ=2048");
        compile.addAll(compiled);
        compile.addAll(List.of("-o", "pan", "pan.c"));
        String compilation = run(compile);
        if (!Files.exists(work.resolve("pan"))) {
            throw new AssertionError("gcc can't compile what Spin made of " + file + ":\n" + compilation);
        }

        List<String> explore = new ArrayList<>(List.of("./pan", DEPTH, large ? "-w26" : "-w20"));
        explore.addAll(run);
        Report report = report(run(explore));
        return report.errors() == 0 ? report : withTrail(report, model, defines, file);
    }

    private static Report report(String text) {
        Matcher figures = FIGURES.matcher(text);
        if (!figures.find()) {
            throw new AssertionError("no figures in the report:\n" + text);
        }
        boolean complete = text.contains("Full statespace search")
                && !text.contains("Search not completed")
                && !text.contains("max search depth too small");
        return new Report(Long.parseLong(figures.group(1)), Long.parseLong(figures.group(2)), complete, text);
    }

    private Report withTrail(Report report, String model, List<String> defines, Path file) {
        List<String> replay = new ArrayList<>(List.of("spin", "-t", "-p", "-k", model + ".pml.trail"));
        defines.forEach(define -> replay.add("-D" + define));
        replay.add(file.toString());
        List<String> lines = run(replay).lines().toList();
        String trail = String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
        return new Report(report.errors(), report.states(), report.complete(), report.text() + "\n" + trail);
    }

    private String run(List<String> command) {
        try {
            return ChildProcess.of(command)
                    .in(work)
                    .run(Duration.ofMinutes(large ? 60 : 5))
                    .output();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
