package io.github.kobe.cluster.redis;

import io.github.kobe.testing.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The clock on the wall as a server sees it, which can be set: by a library that is loaded before that of C. */
final class ServerClock {

    /** Redis asks for the time by this function alone. */
    private static final String LIBRARY = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <unistd.h>

        static volatile long long *ahead;

        __attribute__((constructor)) static void map(void) {
            int file = open(getenv("CLOCK_AHEAD"), O_RDONLY);
            ahead = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
            close(file);
        }

        int gettimeofday(struct timeval *time, void *zone) {
            int result = syscall(SYS_gettimeofday, time, zone);
            long long micros = time->tv_sec * 1000000LL + time->tv_usec + *ahead;
            time->tv_sec = micros / 1000000;
            time->tv_usec = micros % 1000000;
            return result;
        }
        """;

    private final Path library;
    private final Path file;
    private final ByteBuffer ahead;

    ServerClock(Path folder) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("clock.c"), LIBRARY);
        library = folder.resolve("clock.so");
        ChildProcess.of(List.of("gcc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString()))
                .succeed(Duration.ofSeconds(20));
        file = folder.resolve("ahead");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ahead = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES).order(ByteOrder.nativeOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return what a process has to be started with} */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "CLOCK_AHEAD", file.toString());
    }

    /** It is ahead of this machine's by so much from now on, or behind, if that is negative. */
    void set(Duration time) {
        ahead.putLong(0, TimeUnit.MICROSECONDS.convert(time));
    }
}
