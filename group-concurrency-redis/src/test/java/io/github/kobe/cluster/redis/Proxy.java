package io.github.kobe.cluster.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A way to a server on which what is sent can get lost, come late or come twice, and which can be cut. A connection on which
 * something got lost stays open, and nothing comes through any more: nothing gets lost in the midst of a stream.
 */
final class Proxy implements AutoCloseable {

    private static final long A_MOMENT = 1_000_000;

    private final ServerSocket listening;
    private final int to;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private volatile boolean losesRequests;
    private volatile boolean losesAnswers;
    private volatile boolean holdsRequests;
    private volatile boolean isCut;
    private volatile Duration delay = Duration.ZERO;
    private volatile Duration repeatsWithin = Duration.ZERO;

    Proxy(int to) throws IOException {
        this.to = to;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** {@return how many connections there have been} */
    int accepted() {
        return accepted.get();
    }

    /** {@return how many requests came twice} */
    int repeated() {
        return repeated.get();
    }

    /** From now on nothing comes through, until it is told otherwise, and then on new connections only. */
    void swallow(boolean all) {
        losesRequests = all;
        loseAnswers(all);
    }

    /** From now on the server hears everything, and nothing comes back; then it does on new connections only. */
    void loseAnswers(boolean all) {
        losesAnswers = all;
    }

    /** From now on nothing comes to the server, until it is told otherwise; then all does. */
    void holdRequests(boolean all) {
        holdsRequests = all;
    }

    /** From now on all comes so late, in each direction. */
    void delay(Duration time) {
        delay = time;
    }

    /** From now on the server gets each script a second time, up to so much later, on a connection of its own. */
    void repeatWithin(Duration time) {
        repeatsWithin = time;
    }

    /** All connections are closed, and each new one is, until it is told otherwise. */
    void cut(boolean all) {
        isCut = all;
        if (all) {
            sockets.forEach(Proxy::close);
        }
    }

    private static void start(Runnable work) {
        Thread.ofPlatform().daemon().name("proxy").start(work);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                accepted.incrementAndGet();
                sockets.add(client);
                if (isCut) {
                    close(client);
                } else {
                    connect(client);
                }
            }
        } catch (IOException closed) {
            // It is closed: then nobody connects any more.
        }
    }

    private void connect(Socket client) {
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
            sockets.add(server);
            start(() -> pass(client, server, true));
            start(() -> pass(server, client, false));
        } catch (IOException away) {
            close(client);
        }
    }

    private void pass(Socket from, Socket into, boolean requests) {
        try (from;
                into) {
            InputStream in = from.getInputStream();
            OutputStream out = into.getOutputStream();
            byte[] some = new byte[65_536];
            boolean lost = false;
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                LockSupport.parkNanos(delay.toNanos());
                while (requests && holdsRequests) {
                    LockSupport.parkNanos(A_MOMENT);
                }
                lost |= requests ? losesRequests : losesAnswers;
                if (!lost) {
                    out.write(some, 0, read);
                    if (requests && repeatsWithin.isPositive()) {
                        repeat(some.clone(), read);
                    }
                }
            }
        } catch (IOException closed) {
            // The other side is closed, and so is this one.
        }
    }

    /** What was read at once is one request, or some; otherwise the server refuses it. */
    private void repeat(byte[] some, int length) {
        if (!new String(some, 0, length, StandardCharsets.ISO_8859_1).contains("EVALSHA")) {
            return;
        }
        long late = ThreadLocalRandom.current().nextLong(repeatsWithin.toNanos());
        Thread.startVirtualThread(() -> {
            LockSupport.parkNanos(late);
            try (Socket server = new Socket(InetAddress.getLoopbackAddress(), to)) {
                server.getOutputStream().write(some, 0, length);
                if (server.getInputStream().read() >= 0) {
                    repeated.incrementAndGet();
                }
            } catch (IOException away) {
                // Then it comes once.
            }
        });
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sockets.forEach(Proxy::close);
    }
}
