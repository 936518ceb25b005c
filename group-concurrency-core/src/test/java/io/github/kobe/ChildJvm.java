package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A main class of the tests' in a JVM of its own, whose heap is small and has nothing else in it. */
final class ChildJvm {

    private ChildJvm() {}

    /** Runs it, and returns what it printed; fails if it fails, lacks memory, or takes longer than {@code limit}. */
    static String run(Class<?> main, String maxHeap, Duration limit, String... args)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + maxHeap,
                "-XX:+UseSerialGC", // full collections that leave nothing out
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            CompletableFuture<String> output =
                    CompletableFuture.supplyAsync(() -> read(process), Thread::startVirtualThread);
            boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            process.destroyForcibly();
            String printed = output.join();
            assertThat(ended).as("ended in time: " + printed).isTrue();
            assertThat(process.exitValue()).as(printed).isZero();
            return printed.strip();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException closed) {
            return "unreadable: " + closed;
        }
    }
}
