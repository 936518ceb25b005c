package io.github.kobe.internal.jfr;

import io.github.kobe.TaskTracer;
import org.jspecify.annotations.Nullable;

/** What the engine knows of the Flight Recorder, which not each JVM has. */
public final class FlightRecording {

    private static final @Nullable TaskTracer TRACER = isThere() ? new FlightRecorderTracer() : null;

    private FlightRecording() {}

    /** {@return what reports work to the recorder; {@code null}: the module {@code jdk.jfr} isn't there} */
    public static @Nullable TaskTracer tracer() {
        return TRACER;
    }

    private static boolean isThere() {
        return ModuleLayer.boot()
                .findModule("jdk.jfr")
                .filter(FlightRecording.class.getModule()::canRead)
                .isPresent();
    }
}
