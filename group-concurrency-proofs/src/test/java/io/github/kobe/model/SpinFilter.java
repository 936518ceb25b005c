package io.github.kobe.model;

import io.github.kobe.testing.Depth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * Leaves the model out of a short build on a machine without Spin, and leaves a line that the build shows at its end. A
 * deeper build wants Spin. JUnit finds it as a service.
 */
public final class SpinFilter implements PostDiscoveryFilter {

    /** Marks what needs Spin and a C compiler. */
    static final String TAG = "spin";

    static final String WHAT_TO_INSTALL =
            "The model of the engine needs Spin and a C compiler; on Debian: apt-get install spin gcc libc6-dev";

    private static final Path NOT_CHECKED = Path.of("target", "not-checked.txt");

    private final boolean leavesOut = Depth.current() == Depth.SHORT && !Spin.isInstalled();

    public SpinFilter() throws IOException {
        if (!leavesOut) {
            Files.deleteIfExists(NOT_CHECKED);
        }
    }

    @Override
    public FilterResult apply(TestDescriptor test) {
        if (!leavesOut || !test.getTags().contains(TestTag.create(TAG))) {
            return FilterResult.included("Spin is installed, or isn't needed");
        }
        try {
            Files.createDirectories(NOT_CHECKED.getParent());
            Files.writeString(NOT_CHECKED, "Not checked here: " + WHAT_TO_INSTALL + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return FilterResult.excluded(WHAT_TO_INSTALL);
    }
}
