package io.github.kobe.spring.test.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.github.kobe.spring.test.GroupAssertions;
import io.github.kobe.testing.HouseRules;
import io.github.kobe.testing.ModuleArchitecture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class ArchitectureTests extends ModuleArchitecture {

    private static final JavaClasses MAIN = HouseRules.mainClassesBeside(ArchitectureTests.class);
    private static final JavaClasses TESTS = HouseRules.testClassesBeside(ArchitectureTests.class);

    ArchitectureTests() {
        super(GroupAssertions.class, MAIN, TESTS);
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
}
