package io.github.kobe.sample;

import io.github.kobe.testing.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A script of the sample that starts processes, on the classes of this build. */
final class Demonstration {

    private static final Duration LONGEST = Duration.ofMinutes(4);

    private Demonstration() {}

    /** {@return what it said; it has to succeed} */
    static String run(String script) throws IOException, InterruptedException {
        return ChildProcess.of(List.of(
                        "env",
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        "SAMPLE_CLASS_PATH=" + System.getProperty("java.class.path"),
                        "bash",
                        script))
                .succeed(LONGEST);
    }
}
