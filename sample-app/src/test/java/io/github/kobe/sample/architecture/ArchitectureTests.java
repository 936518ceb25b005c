package io.github.kobe.sample.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.testing.HouseRules;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class ArchitectureTests {

    private static final JavaClasses MAIN = HouseRules.mainClassesBeside(ArchitectureTests.class);
    private static final JavaClasses TESTS = HouseRules.testClassesBeside(ArchitectureTests.class);

    @Test
    void packagesHaveNoCycles() {
        HouseRules.packagesHaveNoCycles().check(MAIN);
    }

    @Test
    void everyPackageIsNullMarked() {
        HouseRules.packagesAreNullMarked().check(MAIN);
    }

    @Test
    void classesAreNamedByDomainNouns() {
        HouseRules.namesAreDomainNouns().check(MAIN);
    }

    @Test
    void coreInternalsAreLeftAlone() {
        HouseRules.coreInternalsAreLeftAlone().check(MAIN);
        HouseRules.coreInternalsAreLeftAlone().check(TESTS);
    }

    @Test
    void testsNeverSleep() {
        HouseRules.nothingSleeps().check(TESTS);
    }

    @Test
    void testsNeverWaitForEver() {
        HouseRules.nothingWaitsForEver().check(TESTS);
    }
}
