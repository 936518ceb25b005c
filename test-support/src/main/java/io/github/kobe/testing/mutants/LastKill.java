package io.github.kobe.testing.mutants;

import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The commit at which all mutants were last killed, and what has changed since. Whoever has all of them run writes the
 * commit down.
 */
final class LastKill {

    /** Holds the commit. */
    private static final String RECORD = "group-concurrency-proofs/src/test/mutants/killed-at.txt";

    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** Empty where everything is to be run: there is no git, or a shallow clone doesn't have the commit. */
    private final List<Mutant> killed;

    private final List<String> changedFiles;

    private LastKill(List<Mutant> killed, List<String> changedFiles) {
        this.killed = killed;
        this.changedFiles = changedFiles;
    }

    static LastKill ofAll() throws IOException, InterruptedException {
        String commit = Files.readString(Markdown.repository().resolve(RECORD)).strip();
        ChildProcess.Ended diff;
        try {
            diff = git("diff", "--name-only", "--no-renames", commit);
        } catch (IOException noGit) {
            return new LastKill(List.of(), List.of());
        }
        if (diff.exitValue() != 0) {
            return new LastKill(List.of(), List.of());
        }
        List<Mutant> killed = new ArrayList<>();
        for (String file :
                git("ls-tree", "-r", "--name-only", commit).output().lines().toList()) {
            if (file.endsWith(".mutants")) {
                killed.addAll(
                        Mutant.read(git("show", commit + ":" + file).output().lines()));
            }
        }
        return new LastKill(killed, diff.output().lines().toList());
    }

    /** {@return whether the mutant, the source that it changes, or its test is newer} */
    boolean isBefore(Mutant mutant) {
        return !killed.contains(mutant)
                || changed("/src/main/java/" + mutant.path())
                || changed("/src/test/java/" + mutant.testPath());
    }

    private boolean changed(String end) {
        return changedFiles.stream().anyMatch(file -> file.endsWith(end));
    }

    private static ChildProcess.Ended git(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                Stream.concat(Stream.of("git"), Stream.of(arguments)).toList();
        return ChildProcess.of(command).in(Markdown.repository()).run(LIMIT);
    }
}
