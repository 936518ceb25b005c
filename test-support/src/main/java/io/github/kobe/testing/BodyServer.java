package io.github.kobe.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that answers each request at once with headers, and then with a body that may never end. */
public final class BodyServer implements AutoCloseable {

    /** What follows the headers. */
    @FunctionalInterface
    public interface Body {
        void write(OutputStream out) throws IOException, InterruptedException;
    }

    private final ServerSocket server;
    private final Body body;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger seen = new AtomicInteger();

    public BodyServer(Body body) {
        this.body = body;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    /** {@return one that sends headers, but not its body} */
    public static BodyServer silent() {
        Gate never = new Gate();
        return new BodyServer(out -> never.pass());
    }

    /** {@return one that sends a text without end} */
    public static BodyServer endless() {
        byte[] some = "x".repeat(8_192).getBytes(StandardCharsets.UTF_8);
        return new BodyServer(out -> {
            out.write("{\"version\":\"".getBytes(StandardCharsets.UTF_8));
            while (true) {
                out.write(some);
            }
        });
    }

    /** {@return one that sends a version and blanks} */
    public static BodyServer sized(int bytes) {
        String text = "{\"version\":42}";
        return new BodyServer(out ->
                out.write((text + " ".repeat(bytes - text.length())).getBytes(StandardCharsets.UTF_8)));
    }

    public String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    /** {@return how many requests have come} */
    public int seen() {
        return seen.get();
    }

    /** {@return how many connections are open} */
    public int open() {
        return open.get();
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = server.accept();
                open.incrementAndGet();
                Thread.ofVirtual().start(() -> answer(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void answer(Socket socket) {
        Thread writer = Thread.ofVirtual().unstarted(() -> write(socket));
        try (socket) {
            InputStream in = socket.getInputStream();
            if (in.read() != -1) {
                seen.incrementAndGet();
                writer.start();
            }
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException reset) {
            // as good as closed
        } finally {
            writer.interrupt();
            open.decrementAndGet();
        }
    }

    private void write(Socket socket) {
        try (socket) {
            OutputStream out = socket.getOutputStream();
            out.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            body.write(out);
        } catch (IOException | InterruptedException gone) {
            // the client has what it wants
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
