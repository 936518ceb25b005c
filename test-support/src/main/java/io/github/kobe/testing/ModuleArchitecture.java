package io.github.kobe.testing;

import com.tngtech.archunit.core.domain.JavaClasses;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds for the classes of each module that builds on core. */
public abstract class ModuleArchitecture {

    private final Class<?> published;
    private final JavaClasses main;
    private final JavaClasses tests;
    private final Class<?>[] doors;

    /**
     * Takes the classes of a module, which are read once.
     *
     * @param published a main class of the module
     * @param main its main classes
     * @param tests its test classes
     * @param doors its classes by which users come in, if they wire packages of their own
     */
    protected ModuleArchitecture(Class<?> published, JavaClasses main, JavaClasses tests, Class<?>... doors) {
        this.published = published;
        this.main = main;
        this.tests = tests;
        this.doors = doors;
    }

    @Test
    void packagesHaveNoCycles() {
        HouseRules.packagesHaveNoCycles(doors).check(main);
    }

    @Test
    void everyPackageIsNullMarked() {
        HouseRules.packagesAreNullMarked().check(main);
    }

    @Test
    void classesAreNamedByDomainNouns() {
        HouseRules.namesAreDomainNouns().check(main);
    }

    /** The compiler sees to it; this looks once more, at what it wrote. */
    @Tag("deep")
    @Test
    void jdk21IsEnough() {
        HouseRules.jdk21IsEnough().check(HouseRules.classesBeside(published));
    }

    @Test
    void internalsAreLeftAlone() {
        HouseRules.coreInternalsAreLeftAlone().check(main);
        HouseRules.coreInternalsAreLeftAlone().check(tests);
        HouseRules.rolloutInternalsAreLeftAlone().check(main);
        HouseRules.rolloutInternalsAreLeftAlone().check(tests);
    }

    @Test
    void testsNeverSleep() {
        HouseRules.nothingSleeps().check(tests);
    }

    @Test
    void testsNeverWaitForEver() {
        HouseRules.nothingWaitsForEver().check(tests);
    }
}
