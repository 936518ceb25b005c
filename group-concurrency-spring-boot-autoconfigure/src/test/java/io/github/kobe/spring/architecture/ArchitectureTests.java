package io.github.kobe.spring.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.spring.testing.SpringArchitecture;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
@Tag("deep")
class ArchitectureTests extends SpringArchitecture {

    ArchitectureTests() {
        super(
                GroupConcurrencyResolver.class,
                Set.of(
                        "ConnectionGroup",
                        "DefaultGroupTaskObservationConvention",
                        "ExchangeGroupKey",
                        "GroupClientHttpRequestInterceptor",
                        "GroupConcurrencyAdvisor",
                        "GroupConcurrencyRefresher",
                        "GroupConcurrencyResolver",
                        "GroupConcurrent",
                        "GroupConnectionException",
                        "GroupDataSource",
                        "GroupExchangeFilterFunction",
                        "GroupExecutorBuilder",
                        "GroupExecutorEndpoint",
                        "GroupExecutorReport",
                        "GroupFutures",
                        "GroupPolicyCustomizer",
                        "GroupReport",
                        "GroupScopesEndpoint",
                        "GroupScopesReport",
                        "GroupTaskObservationContext",
                        "GroupTaskObservationConvention",
                        "GroupTaskObservationDocumentation",
                        "GroupLimitsResolver",
                        "InvalidSettingException",
                        "KnownGroupKeys",
                        "ReactorObservation",
                        "RejectionAnswer",
                        "RequestGroupKey"));
    }

    /** So whoever doesn't use the advisor needs no Spring AI, and loads none. */
    @Test
    void nothingElseNeedsSpringAi() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.github.kobe.spring.ai..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.github.kobe.spring.ai..", "org.springframework.ai..")
                .check(main);
    }
}
