package io.github.kobe.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.ChildProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is kept in memory, looked at in a JVM that has nothing else to do. */
@Tag("deep") // each starts a virtual machine
class MemoryFootprintTests {

    @Test
    void aQueuedTaskCostsOneObjectOfFortyBytes() throws Exception {
        // The object alone is 40 bytes with compressed references; the rest is for what else the JVM does meanwhile.
        assertThat(Integer.parseInt(measured("task"))).isLessThan(44);
    }

    @Test
    void keysThatAreUsedOnceLeaveNothingBeyondTheIdleBound() throws Exception {
        assertThat(Integer.parseInt(measured("keys"))).isLessThanOrEqualTo(1_000);
    }

    private static String measured(String what) throws Exception {
        // A heap of this size has compressed references on any machine.
        String output = ChildProcess.java(List.of("-Xmx512m", "-XX:+UseSerialGC"), MemoryFootprint.class, List.of(what))
                .succeed(Duration.ofMinutes(2));
        return output.lines().toList().getLast(); // after what the log says of so many groups
    }
}
