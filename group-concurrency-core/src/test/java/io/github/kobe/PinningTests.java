package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
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
    void aWaitThatKeepsItsCarrierIsSeen() throws Exception {
        Path recording = folder.resolve("pinned.jfr");
        assertThat(runOnOneCarrier(PinnedParks.options(recording), "pinned")).contains("waited");
        assertThat(PinnedParks.in(recording)).isNotEmpty().allMatch(stack -> stack.contains("Task.sleepFor"));
    }

    @Test
    void aRecordingThatDidNotAskForPinnedParksIsNoProof() throws Exception {
        Path recording = folder.resolve("nothing.jfr");
        runOnOneCarrier(List.of("-XX:StartFlightRecording:settings=none,filename=" + recording), "pinned");
        assertThatThrownBy(() -> PinnedParks.in(recording)).hasMessageContaining("nobody asked");
    }

    private String runOnOneCarrier(List<String> options, String scenario) throws Exception {
        Path output = folder.resolve("output.txt");
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), OneCarrier.class.getName(), scenario));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(2 * Deadline.SECONDS, TimeUnit.SECONDS))
                    .as(() -> "ended, but: " + text(output))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(() -> text(output)).isZero();
        return text(output);
    }

    private static String classPath() {
        return String.join(
                File.pathSeparator,
                Arrays.stream(new Class<?>[] {GroupExecutor.class, OneCarrier.class, Awaitility.class})
                        .map(type -> type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .toList());
    }

    private static String text(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
