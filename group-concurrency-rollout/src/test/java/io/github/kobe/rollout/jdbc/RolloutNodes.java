package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Nodes in processes of their own, which all write into one folder. */
final class RolloutNodes {

    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final Path folder;
    private final int tenants;
    private final List<Process> processes = new ArrayList<>();

    RolloutNodes(Path folder, int tenants) {
        this.folder = folder;
        this.tenants = tenants;
    }

    Process start(String url, String name, Duration heartbeat) throws IOException {
        Process process = RolloutNode.start(List.of(), url, name, folder, tenants, heartbeat);
        processes.add(process);
        return process;
    }

    static void signal(String name, Process process) throws IOException, InterruptedException {
        ChildProcess.of(List.of("kill", "-" + name, String.valueOf(process.pid())))
                .succeed(Deadline.LONG);
    }

    /** Waits until it ends by itself. */
    void awaitEnd(Process process) throws InterruptedException {
        assertThat(process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .as(this::logs)
                .isTrue();
        assertThat(process.exitValue()).as(this::logs).isZero();
    }

    /** Longer than usual: a process has to start for it. */
    void await(Supplier<String> what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!Deadline.reached(condition)) {
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as(() -> what.get() + logs())
                    .isLessThan(LONGEST);
        }
    }

    List<String> up() {
        return lines(RolloutNode.up(folder));
    }

    private String logs() {
        StringBuilder all = new StringBuilder();
        for (String line : lines(folder.resolve("log"))) {
            all.append(line).append('\n');
        }
        return all.toString();
    }

    static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void kill() throws InterruptedException {
        for (Process process : processes) {
            ChildProcess.kill(process);
        }
    }
}
