package io.github.kobe.compat;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.testing.HouseRules;
import org.junit.jupiter.api.Test;

class ArchitectureTests {

    private static final JavaClasses TESTS = HouseRules.testClassesBeside(ArchitectureTests.class);

    @Test
    void testsNeverSleep() {
        HouseRules.nothingSleeps().check(TESTS);
    }

    @Test
    void testsNeverWaitForEver() {
        HouseRules.nothingWaitsForEver().check(TESTS);
    }

    @Test
    void coreInternalsAreLeftAlone() {
        HouseRules.coreInternalsAreLeftAlone().check(TESTS);
    }
}
