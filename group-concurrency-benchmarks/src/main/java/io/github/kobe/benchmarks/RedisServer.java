package io.github.kobe.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A process of {@code redis-server} on a free port of this machine, which keeps nothing on disk. It ends with the JVM. */
final class RedisServer {

    private static final Duration LONGEST_START = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final Process process;
    private final int port;

    private RedisServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** {@return one that accepts connections} */
    static RedisServer start() {
        int port = freePort();
        ProcessBuilder command = new ProcessBuilder(
                        "redis-server", "--port", Integer.toString(port), "--save", "", "--appendonly", "no")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        command.environment().put("LC_ALL", "C");
        Process process;
        try {
            process = command.start();
        } catch (IOException missing) {
            throw new UncheckedIOException("there is no redis-server: install Debian's package redis-server", missing);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        RedisServer server = new RedisServer(process, port);
        server.awaitUp();
        return server;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    private void awaitUp() {
        long start = System.nanoTime();
        while (!accepts()) {
            if (!process.isAlive() || System.nanoTime() - start > LONGEST_START.toNanos()) {
                throw new IllegalStateException("redis-server accepts no connections on port " + port);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private boolean accepts() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }
}
