package io.github.kobe.benchmarks.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.testing.HouseRules;
import org.junit.jupiter.api.Test;

class ArchitectureTests {

    /** What JMH generates is its own business. */
    private static final JavaClasses MAIN =
            HouseRules.mainClassesBeside(ArchitectureTests.class).that(not(resideInAPackage("..jmh_generated")));

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
