package io.github.kobe.pinning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waits in the engine give their carrier back; shown in a JVM of its own, which has only one and records. */
class PinningTests {

    @TempDir
    Path folder;

    @Test
    void noWaitInTheEngineKeepsItsCarrier() throws Exception {
        Path recording = folder.resolve("waits.jfr");
        assertThat(runOnOneCarrier(PinnedParks.options(recording), "everywhere"))
                .contains("waited");
        assertThat(PinnedParks.in(recording)).isEmpty();
    }

    @Test
    @Tag("deep")
    void aWaitThatKeepsItsCarrierIsSeen() throws Exception {
        Path recording = folder.resolve("pinned.jfr");
        assertThat(runOnOneCarrier(PinnedParks.options(recording), "pinned")).contains("waited");
        assertThat(PinnedParks.in(recording)).isNotEmpty().allMatch(stack -> stack.contains("TaskCompletion.sleepFor"));
    }

    @Test
    @Tag("deep")
    void aRecordingThatDidNotAskForPinnedParksIsNoProof() throws Exception {
        Path recording = folder.resolve("nothing.jfr");
        runOnOneCarrier(List.of("-XX:StartFlightRecording:settings=none,filename=" + recording), "pinned");
        assertThatThrownBy(() -> PinnedParks.in(recording)).hasMessageContaining("nobody asked");
    }

    private static String runOnOneCarrier(List<String> options, String scenario) throws Exception {
        String classPath =
                ChildProcess.classPath(GroupExecutor.class, OneCarrier.class, Caller.class, EngineAccess.class);
        return ChildProcess.java(options, classPath, OneCarrier.class, List.of(scenario))
                .succeed(Deadline.LONG.multipliedBy(2));
    }
}
