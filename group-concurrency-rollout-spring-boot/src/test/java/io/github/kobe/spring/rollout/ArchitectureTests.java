package io.github.kobe.spring.rollout;

import io.github.kobe.spring.testing.SpringArchitecture;
import io.github.kobe.testing.HouseRules;
import java.util.Set;
import org.junit.jupiter.api.Tag;

@Tag("once")
class ArchitectureTests extends SpringArchitecture {

    ArchitectureTests() {
        super(
                RolloutsCustomizer.class,
                HouseRules.mainClassesBeside(ArchitectureTests.class),
                HouseRules.testClassesBeside(ArchitectureTests.class),
                Set.of("RolloutsCustomizer", "RolloutsEndpoint", "RolloutsReport", "RolloutEventsReport"));
    }
}
