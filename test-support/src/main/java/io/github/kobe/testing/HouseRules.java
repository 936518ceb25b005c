package io.github.kobe.testing;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.jspecify.annotations.NullMarked;

/** The rules that every module keeps. Each module's ArchitectureTests apply them. */
public final class HouseRules {

    private HouseRules() {}

    /** The main classes of the module that the given test belongs to, and nothing from its class path. */
    public static JavaClasses mainClassesBeside(Class<?> test) {
        return imported(ChildProcess.place(test).resolveSibling("classes"));
    }

    /** The classes of the module that the given main class belongs to, in a folder or in a jar, with all they depend on. */
    public static JavaClasses classesBeside(Class<?> main) {
        Path place = ChildProcess.place(main);
        return place.toString().endsWith(".jar")
                ? new ClassFileImporter().importJar(jar(place))
                : new ClassFileImporter().importPath(place);
    }

    /** The test classes of the module that the given test belongs to. */
    public static JavaClasses testClassesBeside(Class<?> test) {
        return imported(ChildProcess.place(test));
    }

    /** Without what these classes depend on: the rules ask for names alone, and Spring's classes are many. */
    private static JavaClasses imported(Path place) {
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter().importPath(place);
        });
    }

    /**
     * {@return the rule}
     *
     * @param doors the classes by which users come in: they wire what is behind them, and so know of all of it
     */
    public static ArchRule packagesHaveNoCycles(Class<?>... doors) {
        return slices().assignedFrom(PACKAGE)
                .should()
                .beFreeOfCycles()
                .ignoreDependency(belongToAnyOf(doors), alwaysTrue());
    }

    public static ArchRule packagesAreNullMarked() {
        return classes().should(be(IN_NULL_MARKED_PACKAGE));
    }

    public static ArchRule namesAreDomainNouns() {
        return noClasses().should().haveNameMatching(".*(Manager|Helper|Util|Utils|Impl)([^a-z].*)?");
    }

    public static ArchRule coreInternalsAreLeftAlone() {
        return noClasses().should().dependOnClassesThat().resideInAPackage("io.github.kobe.internal..");
    }

    /** Of rollouts too, what is internal is so for all but themselves. */
    public static ArchRule rolloutInternalsAreLeftAlone() {
        return noClasses()
                .that()
                .resideOutsideOfPackage("io.github.kobe.rollout..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.github.kobe.rollout.internal..")
                .allowEmptyShould(true);
    }

    public static ArchRule jdk21IsEnough() {
        return classes().should(new UseOnlyJdk(21));
    }

    public static ArchRule nothingSleeps() {
        return noClasses().should().accessTargetWhere(SLEEP).because("a test waits for a state, not for time to pass");
    }

    private static final DescribedPredicate<JavaAccess<?>> SLEEP = describe("it is a sleep", access -> {
        AccessTarget target = access.getTarget();
        return target.getName().equals("sleep")
                && (target.getOwner().isAssignableTo(Thread.class)
                        || target.getOwner().isAssignableTo(TimeUnit.class));
    });

    public static ArchRule nothingWaitsForEver() {
        return noClasses()
                .should()
                .accessTargetWhere(ENDLESS_WAIT)
                .because("a failure must be told: Deadline and ChildProcess have waits that end");
    }

    private static final DescribedPredicate<JavaAccess<?>> ENDLESS_WAIT =
            describe("it may wait for ever", access -> isEndless(access.getTarget()));

    private static boolean isEndless(AccessTarget target) {
        return target instanceof CodeUnitAccessTarget code
                && code.getRawParameterTypes().isEmpty()
                && switch (code.getName()) {
                    case "close" -> target.getOwner().isAssignableTo(HttpClient.class);
                    case "join" -> target.getOwner().isAssignableTo(Thread.class);
                    case "waitFor" -> target.getOwner().isAssignableTo(Process.class);
                    default -> false;
                };
    }

    private static final SliceAssignment PACKAGE = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            return SliceIdentifier.of(javaClass.getPackageName());
        }

        @Override
        public String getDescription() {
            return "each package";
        }
    };

    private static final DescribedPredicate<JavaClass> IN_NULL_MARKED_PACKAGE = describe(
            "in a package that is @NullMarked", type -> type.getPackage().isAnnotatedWith(NullMarked.class));

    private static JarFile jar(Path place) {
        try {
            return new JarFile(place.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
