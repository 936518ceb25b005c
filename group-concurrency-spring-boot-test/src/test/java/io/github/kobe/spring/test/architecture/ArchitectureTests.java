package io.github.kobe.spring.test.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.github.kobe.spring.test.GroupAssertions;
import io.github.kobe.testing.ModuleArchitecture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
@Tag("deep")
class ArchitectureTests extends ModuleArchitecture {

    ArchitectureTests() {
        super(GroupAssertions.class);
    }

    /** It has an application's versions, which may be other ones. */
    @Test
    void ofJUnitOnlyExtensionsAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.junit.platform..", "org.junit.jupiter.params..", "org.mockito..")
                .check(main);
    }
}
