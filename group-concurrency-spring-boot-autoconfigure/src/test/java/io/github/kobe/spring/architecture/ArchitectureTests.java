package io.github.kobe.spring.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.testing.HouseRules;
import io.github.kobe.testing.ModuleArchitecture;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;

@Tag("once")
class ArchitectureTests extends ModuleArchitecture {

    private static final JavaClasses MAIN = HouseRules.mainClassesBeside(ArchitectureTests.class);

    private static final Set<String> FOR_APPLICATIONS = Set.of(
            "DefaultGroupTaskObservationConvention",
            "EndpointProblem",
            "ExchangeGroupKey",
            "GroupClientHttpRequestInterceptor",
            "GroupConcurrencyProperties",
            "GroupConcurrencyRefresher",
            "GroupConcurrencyResolver",
            "GroupConcurrent",
            "GroupExchangeFilterFunction",
            "GroupExecutorBuilder",
            "GroupExecutorEndpoint",
            "GroupExecutorReport",
            "GroupPolicyCustomizer",
            "GroupReport",
            "GroupScopesEndpoint",
            "GroupScopesEndpointWebExtension",
            "GroupScopesReport",
            "GroupTaskObservationContext",
            "GroupTaskObservationConvention",
            "GroupTaskObservationDocumentation",
            "GroupLimitsResolver",
            "InvalidGroupConcurrentException",
            "InvalidSettingException",
            "KnownGroupKeys",
            "ReactorObservation",
            "RequestGroupKey",
            "RolloutsCustomizer",
            "RolloutsEndpoint",
            "RolloutsReport");

    private static final JavaClasses TESTS = HouseRules.testClassesBeside(ArchitectureTests.class);

    ArchitectureTests() {
        super(GroupConcurrencyResolver.class, MAIN, TESTS);
    }

    @Test
    void nothingElseIsPublicButWhatPackagesShare() {
        Set<String> publicTypes = MAIN.stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> type.isTopLevelClass() && !type.isAnnotatedWith(AutoConfiguration.class))
                .map(JavaClass::getSimpleName)
                .collect(toSet());
        publicTypes.removeAll(FOR_APPLICATIONS);

        assertThat(publicTypes)
                .containsExactlyInAnyOrder(
                        "BoundSettings",
                        "BusiestGroups",
                        "ConditionalOnDefaultExecutor",
                        "ConditionalOnSwitch",
                        "EnclosingPermit",
                        "ExecutorBeans",
                        "ExecutorInstrumentation",
                        "LimitSetting",
                        "MadeBeansLifecycle",
                        "MdcTaskDecorator",
                        "PrintableText");
    }

    @Test
    void autoConfigurationsSayWhatTheyAre() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .haveSimpleNameEndingWith("AutoConfiguration")
                .check(MAIN);
    }

    @Test
    void everyAutoConfigurationIsListedAndNothingElse() {
        Set<String> autoConfigurations = MAIN.stream()
                .filter(type -> type.isAnnotatedWith(AutoConfiguration.class))
                .map(JavaClass::getName)
                .collect(toSet());

        // The class path has Spring Boot's own lists too.
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .filteredOn(name -> name.startsWith("io.github.kobe."))
                .containsExactlyInAnyOrderElementsOf(autoConfigurations);
    }

    @Test
    void beanMethodsArePackagePrivate() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .bePackagePrivate()
                .check(MAIN);
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
                        describe("back off for a bean that an application can have", ArchitectureTests::canBackOff)))
                .check(MAIN);
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
                                            : Arrays.stream(types).anyMatch(ArchitectureTests::isPublic)));
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
                .check(MAIN);
    }

    @Test
    void configurationPropertiesSayWhatTheyAre() {
        classes()
                .that()
                .areAnnotatedWith(ConfigurationProperties.class)
                .should()
                .haveSimpleNameEndingWith("Properties")
                .check(MAIN);
    }
}
