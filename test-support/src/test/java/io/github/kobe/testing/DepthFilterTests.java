package io.github.kobe.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class DepthFilterTests {

    static class Samples {
        @Test
        void always() {}

        @Test
        @Tag("deep")
        void inDeepBuilds() {}

        @Test
        @Tag("long")
        void inLongBuilds() {}
    }

    @Test
    void aTestIsInTheBuildsThatAreDeepEnough() {
        TestPlan plan = LauncherFactory.create()
                .discover(LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(Samples.class))
                        .build());

        List<String> found = plan.getRoots().stream()
                .flatMap(root -> plan.getDescendants(root).stream())
                .filter(TestIdentifier::isTest)
                .map(TestIdentifier::getDisplayName)
                .toList();

        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(Depth.pick(
                        List.of("always()"),
                        List.of("always()", "inDeepBuilds()"),
                        List.of("always()", "inDeepBuilds()", "inLongBuilds()")));
    }
}
