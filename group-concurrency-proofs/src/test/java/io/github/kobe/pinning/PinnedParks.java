package io.github.kobe.pinning;

import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Looks through a flight recording for virtual threads that parked on their carrier with the engine on their stack. */
final class PinnedParks {

    private static final String EVENT = "jdk.VirtualThreadPinned";
    private static final URL ENGINE = placeOf(GroupExecutor.class);

    private PinnedParks() {}

    /** Options of a JVM that has one carrier and records into {@code recording}. */
    static List<String> options(Path recording) {
        return List.of(
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                "-XX:FlightRecorderOptions:stackdepth=256",
                "-Xlog:jfr+startup=error",
                "-XX:StartFlightRecording:filename=" + recording + ",settings=none,+" + EVENT + "#enabled=true,+"
                        + EVENT + "#threshold=0ns,+" + EVENT + "#stackTrace=true,+jdk.ActiveSetting#enabled=true");
    }

    /** Fails with what it finds in some recordings; for the end of a build with {@code -Pone-carrier}. */
    public static void main(String... recordings) throws IOException {
        for (String recording : recordings) {
            List<String> found = in(Path.of(recording));
            found.forEach(System.err::println);
            if (!found.isEmpty()) {
                throw new AssertionError(found.size() + " pinned parks in the engine, see above");
            }
            System.out.println("No pinned park in the engine in " + recording);
        }
    }

    /**
     * {@return the stacks of pinned parks with a frame of the engine}
     *
     * @throws AssertionError if such parks were not recorded
     */
    static List<String> in(Path recording) throws IOException {
        List<String> found = new ArrayList<>();
        boolean recorded = false;
        for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
            String type = event.getEventType().getName();
            if (type.equals(EVENT)) {
                RecordedStackTrace stack = event.getStackTrace();
                if (stack != null && isWaitOfEngine(stack)) {
                    found.add(stack.toString());
                }
            } else if (type.equals("jdk.ActiveSetting")) {
                recorded |= event.getString("name").equals("threshold")
                        && event.getString("value").startsWith("0 ");
            }
        }
        if (!recorded) {
            throw new AssertionError("the recording has no pinned parks because nobody asked for them: " + recording);
        }
        return found;
    }

    /**
     * While a class is loaded, or one of the engine is initialized, a frame of the JVM's own keeps the thread on its carrier,
     * so that any short wait for a monitor of the JDK's would look like one of the engine's.
     */
    private static boolean isWaitOfEngine(RecordedStackTrace stack) {
        List<RecordedFrame> frames = stack.getFrames();
        List<RecordedFrame> ofEngine =
                frames.stream().filter(PinnedParks::isOfEngine).toList();
        return !ofEngine.isEmpty()
                && ofEngine.stream().noneMatch(frame -> isNamed(frame, "<clinit>"))
                && frames.stream()
                        .takeWhile(frame -> !isOfEngine(frame))
                        .noneMatch(frame -> isNamed(frame, "loadClass"));
    }

    private static boolean isNamed(RecordedFrame frame, String name) {
        return frame.getMethod().getName().equals(name);
    }

    private static boolean isOfEngine(RecordedFrame frame) {
        if (!frame.isJavaFrame()) {
            return false;
        }
        String type = frame.getMethod().getType().getName();
        if (!type.startsWith("io.github.kobe.")) {
            return false;
        }
        try {
            return Objects.equals(placeOf(Class.forName(type, false, PinnedParks.class.getClassLoader())), ENGINE);
        } catch (ClassNotFoundException hidden) {
            // The class of a lambda; its code has a frame of its own.
            return false;
        }
    }

    private static URL placeOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }
}
