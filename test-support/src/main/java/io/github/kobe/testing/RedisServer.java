package io.github.kobe.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** A process of {@code redis-server}, or of {@code redis-sentinel}, on a port and in a folder of its own. */
public final class RedisServer implements AutoCloseable {

    private static final int FIRST_PORT = 20_000;
    private static final int LAST_PORT = 32_000;

    private final List<String> command;
    private final Map<String, String> environment;
    private final Path folder;
    private final int port;
    private Process process;

    private RedisServer(List<String> command, Map<String, String> environment, Path folder, int port) {
        this.command = command;
        this.environment = environment;
        this.folder = folder;
        this.port = port;
        process = start();
    }

    /** {@return one that keeps nothing on disk} It is asked until it answers. */
    public static RedisServer start(String... options) {
        return start(Map.of(), options);
    }

    public static RedisServer start(Map<String, String> environment, String... options) {
        int port = freePort();
        Path folder = newFolder();
        List<String> command = new ArrayList<>(List.of("redis-server", "--port", Integer.toString(port)));
        command.addAll(List.of("--save", "", "--appendonly", "no", "--dir", folder.toString()));
        command.addAll(List.of("--repl-diskless-sync-delay", "0"));
        command.addAll(List.of(options));
        RedisServer server = new RedisServer(command, environment, folder, port);
        server.awaitUp();
        return server;
    }

    /** {@return one with this configuration, which it may rewrite} */
    public static RedisServer sentinel(String configuration) throws IOException {
        int port = freePort();
        Path folder = newFolder();
        Path file = folder.resolve("sentinel.conf");
        Files.writeString(file, "port " + port + "\ndir " + folder + "\n" + configuration);
        RedisServer server = new RedisServer(List.of("redis-sentinel", file.toString()), Map.of(), folder, port);
        server.awaitUp();
        return server;
    }

    private Process start() {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().put("LC_ALL", "C");
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("install redis-server and redis-sentinel", e);
        }
    }

    /** {@return a port that nobody has} It is none that the system would give to whoever asks for any. */
    public static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException taken) {
                // another one, then
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Path newFolder() {
        try {
            return Files.createTempDirectory("redis");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    /** Waits until it accepts connections. */
    public void awaitUp() {
        Deadline.until(() -> "a connection to " + command, () -> {
            if (!process.isAlive()) {
                throw new AssertionError(command + " has ended: " + log());
            }
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return true;
            } catch (IOException notYet) {
                return false;
            }
        });
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("log"), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return what it answers to a command} */
    public String cli(String... words) {
        List<String> all = new ArrayList<>(List.of("redis-cli", "-p", Integer.toString(port)));
        all.addAll(List.of(words));
        try {
            return ChildProcess.of(all).succeed(Duration.ofSeconds(10)).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until a replica has all that it has. */
    public void awaitReplica() {
        Deadline.until("a replica", () -> cli("INFO", "replication").contains("state=online"));
    }

    /** Waits until this Sentinel knows the replica of the primary that it watches. */
    public void awaitWatches(RedisServer replica) {
        Deadline.until(
                "a replica that Sentinel knows",
                () -> cli("SENTINEL", "REPLICAS", "main").contains(Integer.toString(replica.port)));
    }

    /**
     * Waits until it is the primary, or a replica ({@code master}, {@code slave}). Sentinel ends all connections to a server
     * that changes, so a question may stay without an answer.
     */
    public void awaitRole(String role) {
        Deadline.untilAsserted(() -> assertThat(cli("INFO", "replication")).contains("role:" + role));
    }

    public void kill() throws InterruptedException {
        ChildProcess.kill(process);
    }

    /** It starts again, with nothing of what it knew. */
    public void restart() throws InterruptedException {
        kill();
        process = start();
        awaitUp();
    }

    /** Keeps a copy of what it knows. */
    public void keepCopy() throws IOException {
        cli("SAVE");
        Files.move(folder.resolve("dump.rdb"), folder.resolve("copy.rdb"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** It starts again, with what it knew when the copy was made. While it loads that, it says so. */
    public void restartFromCopy() throws IOException, InterruptedException {
        kill();
        Path loaded = folder.resolve("dump.rdb");
        Files.copy(folder.resolve("copy.rdb"), loaded);
        process = start();
        awaitUp();
        Deadline.until("all is loaded", () -> cli("PING").equals("PONG"));
        Files.delete(loaded);
    }

    /** It stands still. */
    public void freeze() {
        signal("STOP", process);
    }

    public void thaw() {
        signal("CONT", process);
    }

    public static void signal(String name, Process process) {
        try {
            ChildProcess.of(List.of("kill", "-" + name, Long.toString(process.pid())))
                    .succeed(Duration.ofSeconds(10));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            ChildProcess.kill(process);
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
