package io.github.kobe.stress;

import io.github.kobe.GroupExecutor;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import joptsimple.OptionParser;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;

/** One run of jcstress in a process of its own, on the Java that runs the tests. */
final class JcstressRun {

    /** Every test in one fork, just long enough for C2 to have compiled it: what a plain build can spare. */
    private static final List<String> SHORT = List.of(
            "-f",
            "1",
            "-fsm",
            "1",
            "-iters",
            "4",
            "-time",
            "40",
            "-sc",
            "false",
            "-af",
            "NONE",
            "-pth",
            "false",
            "-jvmArgs",
            "-Xmx256m -XX:+UseSerialGC -XX:-RestrictContended");

    private static final long SHORT_MINUTES = 10;

    private final Path folder;

    /** @param folder where it leaves its log, its results and its report */
    JcstressRun(Path folder) {
        this.folder = folder;
    }

    /**
     * Runs the tests whose names match.
     *
     * @param mode {@code short}, or one of jcstress's own: {@code quick}, {@code default}, {@code tough}, ...
     */
    Collection<TestResult> run(String mode, String tests) throws IOException, InterruptedException {
        Path work = Files.createTempDirectory(Files.createDirectories(folder), mode + "-");
        Path log = work.resolve("jcstress.log");
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(), "-cp", classPath(), Main.class.getName()));
        command.addAll(List.of("-t", tests, "-r", work.resolve("report").toString()));
        command.addAll(mode.equals("short") ? SHORT : List.of("-m", mode));
        Process process = new ProcessBuilder(command)
                .directory(work.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        long minutes = mode.equals("short") ? SHORT_MINUTES : TimeUnit.DAYS.toMinutes(7);
        try {
            if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
                throw new AssertionError("jcstress has not ended within " + minutes + " minutes, see " + log);
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return read(work, log);
    }

    /** No more than it needs: jcstress looks through all of it. */
    private static String classPath() {
        return Stream.of(Control.class, GroupExecutor.class, Main.class, OptionParser.class)
                .map(type -> Path.of(type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Collection<TestResult> read(Path work, Path log) throws IOException {
        InProcessCollector results = new InProcessCollector();
        try (Stream<Path> files = Files.list(work)) {
            Path blob = files.filter(file -> file.toString().endsWith(".bin.gz"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("jcstress left no results: " + text(log)));
            DiskReadCollector reader = new DiskReadCollector(blob.toString(), results);
            reader.dump();
            reader.close();
        } catch (ClassNotFoundException unreadable) {
            throw new IOException(unreadable);
        }
        return results.getTestResults();
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
