package io.github.kobe.stress;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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

    /** No more than it needs: jcstress looks through all of it. */
    private static final String CLASS_PATH =
            ChildProcess.classPath(Control.class, GroupExecutor.class, Main.class, OptionParser.class);

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
        List<String> arguments = new ArrayList<>(List.of("-t", tests, "-r", "report"));
        arguments.addAll(mode.equals("short") ? SHORT : List.of("-m", mode));
        // What it says with its exit value, the results say too.
        ChildProcess.java(List.of(), CLASS_PATH, Main.class, arguments)
                .in(work)
                .into(log)
                .run(mode.equals("short") ? Duration.ofMinutes(10) : Duration.ofDays(7));
        return read(work, log);
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
