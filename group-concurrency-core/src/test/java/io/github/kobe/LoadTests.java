package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * Load, each in a JVM of its own with a heap that what leaks would fill. {@code -Dload.keys=100000000} uses that many keys,
 * {@code -Dsoak.seconds=600} soaks that long, {@code -Dsoak.seed=…} by the same dice.
 */
@Tag("load")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class LoadTests {

    private static final int KEYS = Integer.getInteger("load.keys", 10_000_000);
    private static final long SOAK_SECONDS = Long.getLong("soak.seconds", 6);
    private static final long SOAK_SEED = Long.getLong("soak.seed", System.nanoTime());

    @Test
    @Tag("I6")
    void aMillionTasksOfAHundredThousandGroupsByAThousandThreadsAllEnd(TestReporter reporter) throws Exception {
        String summary = ChildJvm.run(Load.class, "256m", Duration.ofMinutes(10), "tasks", "1000000", "100000", "1000");

        reporter.publishEntry(summary);
        assertThat(summary).startsWith("1,000,000 tasks");
    }

    @Test
    @Tag("K1")
    void keysThatComeOneAfterTheOtherLeaveTheHeapFlat(TestReporter reporter) throws Exception {
        String summary = ChildJvm.run(Load.class, "32m", Duration.ofHours(1), "keys", String.valueOf(KEYS));

        reporter.publishEntry(summary);
        assertThat(summary).contains("groups left");
    }

    @Test
    @Tag("K1")
    void aLongLifeOfEverythingAtOnceLeavesTheHeapAsItWas(TestReporter reporter) throws Exception {
        String summary = ChildJvm.run(
                Soak.class,
                "96m",
                Duration.ofSeconds(SOAK_SECONDS).plusHours(1),
                String.valueOf(SOAK_SECONDS),
                String.valueOf(SOAK_SEED));

        reporter.publishEntry(summary);
        assertThat(summary).contains("at the end");
    }
}
