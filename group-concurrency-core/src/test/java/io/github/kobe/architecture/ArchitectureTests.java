package io.github.kobe.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.CompiledPolicy;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.Removal;
import io.github.kobe.internal.cluster.ClusterNode;
import io.github.kobe.internal.cluster.InMemoryStore;
import io.github.kobe.internal.doors.ScopeBridge;
import io.github.kobe.internal.work.Fork;
import io.github.kobe.testing.HouseRules;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class ArchitectureTests {

    private static final String API = "io.github.kobe";
    private static final String ENGINE = "io.github.kobe.internal..";
    private static final String DOORS = "io.github.kobe.internal.doors";
    private static final String SCOPE = "io.github.kobe.scope";
    private static final String CLUSTER = "io.github.kobe.cluster";

    private static final JavaClasses MAIN = HouseRules.mainClassesBeside(ArchitectureTests.class);
    private static final JavaClasses TESTS = HouseRules.testClassesBeside(ArchitectureTests.class);

    /** Each of the others is a value, or what a user implements; {@link KeyText} makes what it shows of a key safe. */
    @Test
    void onlyTheExecutorAndThePolicyKnowTheEngine() {
        noClasses()
                .that()
                .resideInAPackage(API)
                .and(not(belongToAnyOf(GroupExecutor.class, GroupPolicy.class)))
                .should()
                .dependOnClassesThat(resideInAPackage(ENGINE).and(not(type(KeyText.class))))
                .check(MAIN);
    }

    /** What else is public in the engine is so for the engine's own packages. */
    @Test
    void theApiUsesTheDoorsAndFourTypesMoreOfTheEngine() {
        noClasses()
                .that()
                .resideInAPackage(API)
                .should()
                .dependOnClassesThat(resideInAPackage(ENGINE)
                        .and(not(resideInAPackage(DOORS)))
                        .and(not(belongToAnyOf(
                                CompiledPolicy.class, ClusterSignals.class, ClusterNode.class, KeyText.class))))
                .check(MAIN);
    }

    /** Scopes come into the engine by the bridge; a fork is what the engine tells of, and a lineage where it comes from. */
    @Test
    void scopesKnowOfTheEngineTheBridgeAlone() {
        noClasses()
                .that()
                .resideInAPackage(SCOPE)
                .should()
                .dependOnClassesThat(resideInAPackage(ENGINE)
                        .and(not(belongToAnyOf(
                                ScopeBridge.class, Fork.class, Lineage.class, KeyText.class, Removal.class))))
                .check(MAIN);
    }

    /** A module with a store of its own sees values and one interface; the store in memory is the engine's. */
    @Test
    void whatNodesAndStoresSayKnowsOfTheEngineTheStoreInMemoryAlone() {
        noClasses()
                .that()
                .resideInAPackage(CLUSTER)
                .should()
                .dependOnClassesThat(
                        resideInAPackage(ENGINE).and(not(belongToAnyOf(InMemoryStore.class, KeyText.class))))
                .check(MAIN);
    }

    /** Who doesn't use scopes loads none of them. */
    @Test
    void nothingKnowsOfScopesButThemselves() {
        noClasses()
                .that()
                .resideOutsideOfPackage(SCOPE)
                .should()
                .dependOnClassesThat(resideInAPackage(SCOPE))
                .check(MAIN);
    }

    /** The constructor of a record can't change without breaking whoever calls it. */
    @Test
    void noPublicRecordOfTheApiHasMoreThanSixComponents() {
        assertThat(MAIN.stream()
                        .filter(type -> type.isRecord() && type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getPackageName().equals(API)
                                || type.getPackageName().equals("io.github.kobe.scope"))
                        .filter(type -> type.reflect().getRecordComponents().length > 6)
                        .map(JavaClass::getName))
                .isEmpty();
    }

    @Test
    void everyClassOfTheApiIsPublic() {
        classes()
                .that()
                .resideInAPackage(API)
                .and()
                .areTopLevelClasses()
                .and(not(simpleName("package-info")))
                .should()
                .bePublic()
                .check(MAIN);
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
                    || name.equals("jdk.jfr")
                    || MAIN.contain(target.getBaseComponentType().getName());
        });
        classes().should().onlyDependOnClassesThat(allowed).check(MAIN);
    }

    @Test
    void theApiShowsNoInternalType() {
        codeUnits()
                .that()
                .areDeclaredInClassesThat(resideInAnyPackage(API, CLUSTER).and(modifier(PUBLIC)))
                .and(modifier(PUBLIC).or(modifier(PROTECTED)))
                .should(ArchConditions.not(
                        have(describe("an internal type in the signature", ArchitectureTests::showsInternalType))))
                .check(MAIN);
    }

    private static boolean showsInternalType(JavaCodeUnit unit) {
        return Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream())
                .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                .anyMatch(resideInAPackage(ENGINE));
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
