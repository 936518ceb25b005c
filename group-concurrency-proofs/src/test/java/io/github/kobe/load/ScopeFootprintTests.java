package io.github.kobe.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What scopes and their forks leave in memory once they are over, looked at in a JVM that has nothing else to do. */
@Tag("deep") // each starts a virtual machine
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ScopeFootprintTests {

    private static final int COUNT = Depth.current() == Depth.LONG ? 1_000_000 : 100_000;

    /** What else the JVM does meanwhile. */
    private static final long OTHERS = 100_000;

    @ParameterizedTest
    @ValueSource(strings = {"scopes", "forks"})
    void whatIsOverLeavesLessThanAByte(String what) throws Exception {
        String grown = ChildProcess.java(
                        List.of("-Xmx512m", "-XX:+UseSerialGC"),
                        ScopeFootprint.class,
                        List.of(what, Integer.toString(COUNT)))
                .succeed(Duration.ofMinutes(15));

        assertThat(Long.parseLong(grown.strip())).isLessThan(COUNT + (COUNT < 1_000_000 ? OTHERS : 0));
    }
}
