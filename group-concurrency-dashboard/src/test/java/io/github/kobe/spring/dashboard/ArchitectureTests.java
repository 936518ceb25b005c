package io.github.kobe.spring.dashboard;

import io.github.kobe.spring.testing.SpringArchitecture;
import java.util.Set;
import org.junit.jupiter.api.Tag;

@Tag("once")
@Tag("deep")
class ArchitectureTests extends SpringArchitecture {

    ArchitectureTests() {
        super(GroupConcurrencyDashboardAutoConfiguration.class, Set.of());
    }
}
