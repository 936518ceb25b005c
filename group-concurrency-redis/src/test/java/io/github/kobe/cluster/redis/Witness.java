package io.github.kobe.cluster.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * When each task of a process was offered, began and ended, in a mapped file: so it outlives a process that is killed, and
 * others can read it at any time. It knows nothing of the library. Times are those of the machine's monotonic clock, which
 * {@link System#nanoTime} is, so those of several processes can be compared.
 *
 * <p>A task notes its beginning after it has its permit, and its end before it gives it back.
 */
final class Witness {

    private static final int MOST = 200_000;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private static final int LIMIT = 0;
    private static final int OFFERED = 8;
    private static final int STARTED = 16;
    private static final int ENDED = 24;
    private static final int SIZE = 32;

    private final ByteBuffer map;

    /** All before it have ended. */
    private int openFrom;

    /**
     * One task.
     *
     * @param limit which key it is of: each has another limit
     * @param started 0: not yet, or it was refused
     * @param ended 0: not yet
     */
    record Task(int limit, long offered, long started, long ended) {

        boolean isRefused() {
            return started == 0 && ended != 0;
        }

        boolean isOpen() {
            return started != 0 && ended == 0;
        }
    }

    private Witness(ByteBuffer map) {
        this.map = map;
    }

    static Witness at(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Witness(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE * (MOST + 1L)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the number of a task that is offered now} */
    int offered(int limit) {
        int task = (int) (long) LONG.getAndAdd(map, 0, 1L);
        LONG.setVolatile(map, at(task, LIMIT), (long) limit);
        LONG.setVolatile(map, at(task, OFFERED), System.nanoTime());
        return task;
    }

    void started(int task) {
        LONG.setVolatile(map, at(task, STARTED), System.nanoTime());
    }

    /** It has ended; or it was refused, if it never began. */
    void ended(int task) {
        LONG.setVolatile(map, at(task, ENDED), System.nanoTime());
    }

    boolean hasStarted(int task) {
        return read(task).started() != 0;
    }

    private static int at(int task, int what) {
        return (task + 1) * SIZE + what;
    }

    private int count() {
        return (int) (long) LONG.getVolatile(map, 0);
    }

    private Task read(int task) {
        long ended = (long) LONG.getVolatile(map, at(task, ENDED)); // first: who has ended has begun
        return new Task(
                (int) (long) LONG.getVolatile(map, at(task, LIMIT)),
                (long) LONG.getVolatile(map, at(task, OFFERED)),
                (long) LONG.getVolatile(map, at(task, STARTED)),
                ended);
    }

    /** {@return all tasks there were} */
    List<Task> tasks() {
        List<Task> tasks = new ArrayList<>();
        for (int task = 0; task < count(); task++) {
            tasks.add(read(task));
        }
        return tasks;
    }

    /** {@return how many tasks of a key run now} */
    synchronized int running(int limit) {
        while (openFrom < count() && read(openFrom).ended() != 0) {
            openFrom++;
        }
        int running = 0;
        for (int task = openFrom; task < count(); task++) {
            Task read = read(task);
            if (read.limit() == limit && read.isOpen()) {
                running++;
            }
        }
        return running;
    }
}
