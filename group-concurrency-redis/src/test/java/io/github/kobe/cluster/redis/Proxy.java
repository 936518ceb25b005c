package io.github.kobe.cluster.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A way to a server on which what is sent can get lost: connections stay open, and nothing comes through. */
final class Proxy implements AutoCloseable {

    private final ServerSocket listening;
    private final int to;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile boolean swallowing;

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

    /** From now on nothing comes through, until it is told otherwise; what was sent meanwhile never does. */
    void swallow(boolean all) {
        swallowing = all;
    }

    private static void start(Runnable work) {
        Thread.ofPlatform().daemon().name("proxy").start(work);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                accepted.incrementAndGet();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
                sockets.add(client);
                sockets.add(server);
                start(() -> pass(client, server));
                start(() -> pass(server, client));
            }
        } catch (IOException closed) {
            // It is closed, or the server is away: then nobody connects any more.
        }
    }

    private void pass(Socket from, Socket into) {
        try (from;
                into) {
            InputStream in = from.getInputStream();
            OutputStream out = into.getOutputStream();
            byte[] some = new byte[8_192];
            for (int read = in.read(some); read >= 0; read = in.read(some)) {
                if (!swallowing) {
                    out.write(some, 0, read);
                }
            }
        } catch (IOException closed) {
            // The other side is closed, and so is this one.
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
