package io.github.kobe.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.conditions.ArchConditions.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.HouseRules;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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
        HouseRules.jdk21IsEnough().check(HouseRules.classesBeside(GroupExecutor.class));
    }

    @Test
    void theEngineNeedsNothingButJavaBase() {
        Set<String> javaBase = Object.class.getModule().getPackages();
        DescribedPredicate<JavaClass> allowed = describe("belong to java.base, JSpecify or the engine", target -> {
            String name = target.getPackageName();
            return javaBase.contains(name)
                    || name.equals("org.jspecify.annotations")
                    || MAIN.contain(target.getBaseComponentType().getName());
        });
        classes().should().onlyDependOnClassesThat(allowed).check(MAIN);
    }

    @Test
    void theApiShowsNoInternalType() {
        codeUnits()
                .that()
                .areDeclaredInClassesThat(resideInAPackage("io.github.kobe").and(modifier(PUBLIC)))
                .and(modifier(PUBLIC).or(modifier(PROTECTED)))
                .should(not(have(describe("an internal type in the signature", ArchitectureTests::showsInternalType))))
                .check(MAIN);
    }

    private static boolean showsInternalType(JavaCodeUnit unit) {
        return Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream())
                .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                .anyMatch(resideInAPackage("io.github.kobe.internal.."));
    }

    @Test
    void testsNeverSleep() {
        HouseRules.nothingSleeps().check(TESTS);
    }
}
