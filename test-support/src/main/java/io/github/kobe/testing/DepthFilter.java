package io.github.kobe.testing;

import java.util.Set;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.PostDiscoveryFilter;

/** Leaves out what is tagged {@code deep} or {@code long} where the build is shorter; found by JUnit as a service. */
public final class DepthFilter implements PostDiscoveryFilter {

    private final Set<TestTag> leftOut = switch (Depth.current()) {
        case SHORT -> Set.of(TestTag.create("deep"), TestTag.create("long"));
        case DEEP -> Set.of(TestTag.create("long"));
        case LONG -> Set.of();
    };

    @Override
    public FilterResult apply(TestDescriptor test) {
        return FilterResult.includedIf(
                test.getTags().stream().noneMatch(leftOut::contains),
                () -> "as deep as asked for",
                () -> "needs a deeper build than depth=" + Depth.current());
    }
}
