package io.github.kobe.rollout.jdbc;

import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.util.concurrent.atomic.AtomicReference;
import org.h2.store.fs.FileBase;
import org.h2.store.fs.FilePathWrapper;

/** A disk of H2 that takes its time: what is written waits at a gate, and nothing else does. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized")
final class HeldFile extends FileBase {

    static final String SCHEME = "held";

    private static final AtomicReference<Gate> GATE = new AtomicReference<>(opened());

    private final FileChannel file;

    private HeldFile(FileChannel file) {
        this.file = file;
    }

    private static Gate opened() {
        Gate gate = new Gate();
        gate.open();
        return gate;
    }

    /** Lets nothing more be written until the gate is open. */
    static Gate hold() {
        Gate gate = new Gate();
        GATE.set(gate);
        return gate;
    }

    /** H2 makes its instances. */
    public static final class Disk extends FilePathWrapper {

        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public FileChannel open(String mode) throws IOException {
            return new HeldFile(super.open(mode));
        }
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        GATE.get().passStubbornly();
        return file.write(source, position);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        GATE.get().passStubbornly();
        return file.write(source);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return file.read(target, position);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return file.read(target);
    }

    @Override
    public long position() throws IOException {
        return file.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
        file.position(position);
        return this;
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        file.truncate(size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        file.force(metaData);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return file.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }
}
