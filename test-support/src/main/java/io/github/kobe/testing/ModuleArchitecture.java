package io.github.kobe.testing;

import com.tngtech.archunit.core.domain.JavaClasses;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What holds for the classes of each module that builds on core. They are read once for all its rules. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ModuleArchitecture {

    /** The main classes of the module that the test belongs to. */
    protected final JavaClasses main = HouseRules.mainClassesBeside(getClass());

    private final JavaClasses tests = HouseRules.testClassesBeside(getClass());
    private final Class<?> published;
    private final Class<?>[] doors;

    /**
     * Takes what a rule can't see by itself.
     *
     * @param published a main class of the module
     * @param doors its classes by which users come in, if they wire packages of their own
     */
    protected ModuleArchitecture(Class<?> published, Class<?>... doors) {
        this.published = published;
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
