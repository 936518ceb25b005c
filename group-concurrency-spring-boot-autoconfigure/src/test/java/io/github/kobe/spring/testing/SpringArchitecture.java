package io.github.kobe.spring.testing;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import io.github.kobe.testing.ModuleArchitecture;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** What holds for the classes of each jar of the starter. */
public abstract class SpringArchitecture extends ModuleArchitecture {

    private final String packageName;
    private final Set<String> forApplications;

    /**
     * Takes what a rule can't see by itself.
     *
     * @param published a main class of the module, in the package that all the others are in or below
     * @param forApplications the simple names of the public top-level types, beside auto-configurations and what is internal
     */
    protected SpringArchitecture(Class<?> published, Set<String> forApplications) {
        super(published);
        this.packageName = published.getPackageName();
        this.forApplications = forApplications;
    }

    @Test
    void nothingElseIsPublic() {
        Set<String> publicTypes = main.stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> type.isTopLevelClass() && !type.isAnnotatedWith(AutoConfiguration.class))
                .filter(type -> !type.getPackageName().startsWith("io.github.kobe.spring.internal."))
                .map(JavaClass::getSimpleName)
                .collect(toSet());

        assertThat(publicTypes).containsExactlyInAnyOrderElementsOf(forApplications);
    }

    @Test
    void autoConfigurationsSayWhatTheyAre() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .haveSimpleNameEndingWith("AutoConfiguration")
                .check(main);
    }

    @Test
    void everyAutoConfigurationIsListedAndNothingElse() {
        Set<String> autoConfigurations = main.stream()
                .filter(type -> type.isAnnotatedWith(AutoConfiguration.class))
                .map(JavaClass::getName)
                .collect(toSet());

        // The class path has Spring Boot's own lists too.
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .filteredOn(name -> name.startsWith(packageName + "."))
                .containsExactlyInAnyOrderElementsOf(autoConfigurations);
    }

    @Test
    void beanMethodsArePackagePrivate() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .bePackagePrivate()
                .check(main);
    }

    /**
     * Where a configuration as a whole backs off, so do its beans. An application can have no bean of a type that isn't
     * public, only one of the name.
     */
    @Test
    void everyBeanBacksOffForOneOfTheApplication() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should(ArchCondition.from(
                        describe("back off for a bean that an application can have", SpringArchitecture::canBackOff)))
                .check(main);
    }

    private static boolean canBackOff(JavaMethod method) {
        return method.tryGetAnnotationOfType(ConditionalOnMissingBean.class)
                .or(() -> method.getOwner().tryGetAnnotationOfType(ConditionalOnMissingBean.class))
                .filter(condition -> {
                    Set<String> names = Set.of(condition.name());
                    String[] given = method.getAnnotationOfType(Bean.class).value();
                    Class<?>[] types = condition.value();
                    return names.contains(given.length == 0 ? method.getName() : given[0])
                            || (isPublic(method.getRawReturnType().reflect())
                                    && (types.length == 0
                                            ? names.isEmpty()
                                            : Arrays.stream(types).anyMatch(SpringArchitecture::isPublic)));
                })
                .isPresent();
    }

    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers());
    }

    @Test
    void namesOfBeansKeepOutOfTheWayOfTheApplications() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .and()
                .doNotHaveName("groupExecutor")
                .should()
                .haveNameStartingWith("groupConcurrency")
                .check(main);
    }

    @Test
    void configurationPropertiesSayWhatTheyAre() {
        classes()
                .that()
                .areAnnotatedWith(ConfigurationProperties.class)
                .should()
                .haveSimpleNameEndingWith("Properties")
                .check(main);
    }
}
