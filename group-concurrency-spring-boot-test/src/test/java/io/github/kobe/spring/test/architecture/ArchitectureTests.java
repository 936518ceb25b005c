package io.github.kobe.spring.test.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.spring.test.GroupAssertions;
import io.github.kobe.testing.HouseRules;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
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

    /** The compiler sees to it; this looks once more, at what it wrote. */
    @Tag("deep")
    @Test
    void jdk21IsEnough() {
        HouseRules.jdk21IsEnough().check(HouseRules.classesBeside(GroupAssertions.class));
    }

    @Test
    void coreInternalsAreLeftAlone() {
        HouseRules.coreInternalsAreLeftAlone().check(MAIN);
        HouseRules.coreInternalsAreLeftAlone().check(TESTS);
    }

    /** It has an application's versions, which may be other ones. */
    @Test
    void ofJUnitOnlyExtensionsAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.junit.platform..", "org.junit.jupiter.params..", "org.mockito..")
                .check(MAIN);
    }

    @Test
    void testsNeverSleep() {
        HouseRules.nothingSleeps().check(TESTS);
    }
}
