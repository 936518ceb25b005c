package io.github.kobe.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/** Load, each in a JVM of its own with a heap that what leaks would fill. */
@Tag("load")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class LoadTests {

    private static final int TASKS = Depth.pick(30_000, 400_000, 1_000_000);
    private static final int THREADS = Depth.pick(100, 1_000, 1_000);
    private static final int KEYS = Depth.pick(100_000, 4_000_000, 100_000_000);
    private static final Duration SOAK = Depth.pick(Duration.ZERO, Duration.ofSeconds(6), Duration.ofMinutes(10));

    @Test
    @Tag("I6")
    void manyTasksOfManyGroupsByManyThreadsAllEnd(TestReporter reporter) throws Exception {
        String summary = run(Load.class, "256m", Duration.ofMinutes(10), "tasks", TASKS, TASKS / 10, THREADS);

        reporter.publishEntry(summary);
        assertThat(summary).contains("\n%,d tasks".formatted(TASKS)); // after what the log says of so many groups
    }

    @Test
    @Tag("K1")
    void keysThatComeOneAfterTheOtherLeaveTheHeapFlat(TestReporter reporter) throws Exception {
        String summary = run(Load.class, "32m", Duration.ofHours(1), "keys", KEYS);

        reporter.publishEntry(summary);
        assertThat(summary).contains("groups left");
    }

    @Test
    @Tag("deep")
    @Tag("K1")
    void aLongLifeOfEverythingAtOnceLeavesTheHeapAsItWas(TestReporter reporter) throws Exception {
        String summary = run(Soak.class, "96m", SOAK.plusHours(1), SOAK.toSeconds(), Depth.seed());

        reporter.publishEntry(summary);
        assertThat(summary).contains("at the end");
    }

    /** Runs it in a JVM whose heap is small and has nothing else in it; it must not lack memory. */
    private static String run(Class<?> main, String heap, Duration limit, Object... arguments) throws Exception {
        List<String> options = List.of(
                "-Xmx" + heap,
                "-XX:+UseSerialGC", // full collections that leave nothing out
                "-XX:+ExitOnOutOfMemoryError");
        List<String> texts = List.of(arguments).stream().map(String::valueOf).toList();
        return ChildProcess.java(options, main, texts).succeed(limit).strip();
    }
}
