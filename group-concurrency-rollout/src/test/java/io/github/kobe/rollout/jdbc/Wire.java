package io.github.kobe.rollout.jdbc;

import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The network between one process and a server, which a test takes away. */
final class Wire implements AutoCloseable {

    /** How it is. */
    enum State {
        WHOLE,
        /** All connections are closed, and so is each new one at once. */
        CUT,
        /** Nothing gets through, either way, and nobody is told. What was sent meanwhile arrives once the wire is whole again. */
        SILENT
    }

    private final InetAddress here = InetAddress.getLoopbackAddress();
    private final ServerSocket entrance;
    private final int server;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Both are guarded by the lock. */
    private final Set<Socket> sockets = new HashSet<>();

    private State state = State.WHOLE;

    Wire(int server) throws IOException {
        this.server = server;
        entrance = new ServerSocket(0, 0, here);
        Thread.ofVirtual().name("wire").start(this::accept);
    }

    /** {@return the URL, with this wire in place of the way to the server} */
    String through(String url) {
        return url.replace("localhost:" + server, here.getHostAddress() + ":" + entrance.getLocalPort());
    }

    void turn(State to) {
        lock.lock();
        try {
            state = to;
            changed.signalAll();
            if (to == State.CUT) {
                sockets.forEach(Wire::close);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Once it gets through again, or fails on a socket that is closed. */
    private void awaitWayThrough() {
        lock.lock();
        try {
            while (state == State.SILENT) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void add(Socket socket) throws IOException {
        lock.lock();
        try {
            if (state == State.CUT) {
                throw new IOException("the wire is cut");
            }
            sockets.add(socket);
        } finally {
            lock.unlock();
        }
    }

    private void remove(Socket socket) {
        lock.lock();
        try {
            sockets.remove(socket);
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        try (entrance) {
            while (true) {
                Socket client = entrance.accept();
                Thread.ofVirtual().name("wire").start(() -> connect(client));
            }
        } catch (IOException closed) {
            turn(State.CUT);
        }
    }

    private void connect(Socket client) {
        Socket outside = new Socket();
        try (client;
                outside) {
            add(client);
            add(outside);
            awaitWayThrough();
            outside.connect(new InetSocketAddress("localhost", server));
            Thread back = Thread.ofVirtual().name("wire").start(() -> pass(outside, client));
            pass(client, outside);
            outside.close();
            client.close();
            if (!back.join(Deadline.LONG)) {
                throw new AssertionError("a thread still reads from a connection that is closed");
            }
        } catch (IOException cut) {
            // Either side has gone, which the other one is told by the close.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            remove(client);
            remove(outside);
        }
    }

    /** All that comes, and then that nothing more comes. */
    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[8192];
        try {
            int length = from.getInputStream().read(buffer);
            while (length >= 0) {
                awaitWayThrough();
                to.getOutputStream().write(buffer, 0, length);
                length = from.getInputStream().read(buffer);
            }
            awaitWayThrough();
            to.shutdownOutput();
        } catch (IOException cut) {
            awaitWayThrough();
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        turn(State.CUT);
        entrance.close();
    }
}
