package io.github.kobe.testing;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process of a test's own. It ends within its limit, with all that it has started, and leaves what it printed. */
public final class ChildProcess {

    private final List<String> command;
    private @Nullable Path directory;
    private @Nullable Path log;

    private ChildProcess(List<String> command) {
        this.command = command;
    }

    /** How it ended: its exit value and all that it printed. */
    public record Ended(int exitValue, String output) {}

    /** That it wasn't done in time. */
    public static final class Overdue extends AssertionError {
        private static final long serialVersionUID = 1L;

        private final String output;

        private Overdue(Duration limit, List<String> command, String output) {
            super("not done within " + limit + ": " + command + "\n" + output);
            this.output = output;
        }

        /** {@return what it had printed by then} */
        public String output() {
            return output;
        }
    }

    public static ChildProcess of(List<String> command) {
        return new ChildProcess(List.copyOf(command));
    }

    /** A virtual machine of the JDK that runs the tests, with their class path. */
    public static ChildProcess java(List<String> options, Class<?> main, List<String> arguments) {
        return java(options, System.getProperty("java.class.path"), main, arguments);
    }

    /** A virtual machine of the JDK that runs the tests. */
    public static ChildProcess java(List<String> options, String classPath, Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(arguments);
        return of(command);
    }

    /** {@return a class path of just the places that these classes come from} */
    public static String classPath(Class<?>... types) {
        return Stream.of(types)
                .map(type -> place(type).toString())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** {@return the folder or the jar that a class comes from, whatever characters are in its name} */
    public static Path place(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The folder it runs in; if none is named, that of the tests. */
    public ChildProcess in(Path folder) {
        directory = folder;
        return this;
    }

    /** The file that keeps what it prints; if none is named, that is gone with the process. */
    public ChildProcess into(Path file) {
        log = file;
        return this;
    }

    /** Runs it; fails, with {@link Overdue}, if it doesn't end in time. */
    public Ended run(Duration limit) throws IOException, InterruptedException {
        if (log != null) {
            return run(limit, log);
        }
        Path passing = Files.createTempFile("child", ".log");
        try {
            return run(limit, passing);
        } finally {
            Files.delete(passing);
        }
    }

    /** Runs it; fails unless it says that it succeeded. Returns what it printed. */
    public String succeed(Duration limit) throws IOException, InterruptedException {
        Ended ended = run(limit);
        if (ended.exitValue() != 0) {
            throw new AssertionError("exit value " + ended.exitValue() + " of " + command + ":\n" + ended.output());
        }
        return ended.output();
    }

    private Ended run(Duration limit, Path output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(directory == null ? null : directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new Overdue(limit, command, text(output));
            }
            return new Ended(process.exitValue(), text(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** Kills a process, and waits for its end. */
    public static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        awaitEnd(process);
    }

    /** {@return the exit value of a process} Fails if it doesn't end in time. */
    public static int awaitEnd(Process process) throws InterruptedException {
        if (!process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("not in time: the end of " + process.info());
        }
        return process.exitValue();
    }

    private static String text(Path output) throws IOException {
        // Whatever a process prints can be shown, also what isn't text.
        return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
    }
}
