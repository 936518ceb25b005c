package io.github.kobe.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Markdown;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/** A program that a page shows as one file, copied, compiled against core alone, and run in a process of its own. */
final class Program {

    private static final String PLACE_OF_SOURCES = "// src/main/java/";

    /** Core has no dependency; so whoever copies the page needs no other jar. */
    private static final String CORE = ChildProcess.classPath(GroupExecutor.class);

    private final Path output;
    private final String main;

    private Program(Path output, String main) {
        this.output = output;
        this.main = main;
    }

    /** {@return the one program of a page} */
    static String source(String page) {
        return Markdown.page(page).blocks("java application").getFirst();
    }

    /** Compiles a program in {@code folder}; the compiler has nothing to say about it. */
    static Program compiled(String source, Path folder) throws IOException {
        Path file = folder.resolve("src/main/java/" + main(source).replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, source);
        Path output = folder.resolve("target/classes");
        StringWriter findings = new StringWriter();
        PrintWriter out = new PrintWriter(findings);
        ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        out,
                        out,
                        "-classpath",
                        CORE,
                        "--release",
                        "21",
                        "-Xlint:all,-classfile,-try,-path",
                        "-d",
                        output.toString(),
                        file.toString());
        assertThat(findings.toString()).isEmpty();
        return new Program(output, main(source));
    }

    /** {@return the class of a program, from its first line} */
    static String main(String source) {
        String place = source.lines().findFirst().orElseThrow();
        assertThat(place).startsWith(PLACE_OF_SOURCES).endsWith(".java");
        return place.substring(PLACE_OF_SOURCES.length(), place.length() - ".java".length())
                .replace('/', '.');
    }

    private List<String> command() {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return List.of(java.toString(), "-cp", output + File.pathSeparator + CORE, main);
    }

    ChildProcess.Ended run() throws IOException, InterruptedException {
        return ChildProcess.of(command()).run(Deadline.LONG);
    }

    /** Starts it, and sends it SIGTERM once it has printed what {@code sign} finds. */
    ChildProcess.Ended terminatedAfter(String sign) throws IOException, InterruptedException {
        Pattern awaited = Pattern.compile(sign);
        Path log = output.resolveSibling("log");
        Process process = new ProcessBuilder(command())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            Deadline.until(
                    () -> "it prints " + sign + ": " + text(log),
                    () -> awaited.matcher(text(log)).find());
            process.destroy();
            return new ChildProcess.Ended(ChildProcess.awaitEnd(process), text(log));
        } finally {
            process.destroyForcibly();
        }
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
