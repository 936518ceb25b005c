package io.github.kobe.cluster.redis;

import io.github.kobe.cluster.ClusterState;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A {@link LoadNode}, seen from outside: what it is told, what is done to it, and what its witness says. */
final class NodeProcess {

    private static final List<String> SMALL =
            List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private final String name;
    private final Path log;
    private final Witness witness;
    private final Process process;
    /** 0: it was not. */
    private long killedAt;

    NodeProcess(String name, String uri, Path folder) {
        this.name = name;
        log = folder.resolve(name + ".log");
        Path file = folder.resolve(name + ".witness");
        witness = Witness.at(file);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SMALL);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LoadNode.class.getName()));
        command.addAll(List.of(name, uri, file.toString()));
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String name() {
        return name;
    }

    Witness witness() {
        return witness;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** {@return what it has done until now, or until it was killed} */
    Tally.Work work() {
        long now = System.nanoTime();
        return new Tally.Work(name, witness.tasks(), killedAt == 0 ? now : killedAt);
    }

    /** It has so many workers for the key with that limit, which offer tasks that take so many milliseconds. */
    void load(int limit, int workers, int least, int most) {
        try {
            process.getOutputStream()
                    .write("load %d %d %d %d\n"
                            .formatted(limit, workers, least, most)
                            .getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(log(), e);
        }
    }

    int running(int limit) {
        return witness.running(limit);
    }

    /** {@return how many of its tasks of that key have begun since} */
    long startedSince(int limit, long at) {
        return witness.tasks().stream()
                .filter(task -> task.limit() == limit && task.started() - at > 0 && task.started() != 0)
                .count();
    }

    /** {@return how long a task waited at most, of those that have begun} */
    Duration longestWait() {
        return Duration.ofNanos(witness.tasks().stream()
                .filter(task -> task.started() != 0)
                .mapToLong(task -> task.started() - task.offered())
                .max()
                .orElse(0));
    }

    String log() {
        try {
            return name + ":\n" + Files.readString(log, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return whether a lease was over since it has connected} */
    boolean hasLost() {
        String log = log();
        int connected = log.indexOf(LoadNode.STATE + ClusterState.Kind.CONNECTED);
        return connected >= 0 && log.indexOf(LoadNode.STATE + ClusterState.Kind.LOST, connected) >= 0;
    }

    /** Waits until its process has begun to share. */
    void awaitBegin() {
        Deadline.until(() -> "it has begun: " + log(), () -> log().contains(LoadNode.STATE));
    }

    /** Waits until it stands so with the store, or has done so. */
    void awaitState(ClusterState.Kind kind) {
        awaitBegin();
        Deadline.until(() -> kind + " of " + log(), () -> log().contains(LoadNode.STATE + kind));
    }

    void freeze() {
        RedisServer.signal("STOP", process);
    }

    void thaw() {
        RedisServer.signal("CONT", process);
    }

    void kill() throws InterruptedException {
        killedAt = System.nanoTime();
        ChildProcess.kill(process);
    }

    /** It finishes what it was offered, and ends. */
    void terminate() throws InterruptedException {
        RedisServer.signal("TERM", process);
        ChildProcess.awaitEnd(process);
    }
}
