package io.github.kobe.spring.architecture;

import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.spring.testing.SpringArchitecture;
import io.github.kobe.testing.HouseRules;
import java.util.Set;
import org.junit.jupiter.api.Tag;

@Tag("once")
class ArchitectureTests extends SpringArchitecture {

    ArchitectureTests() {
        super(
                GroupConcurrencyResolver.class,
                HouseRules.mainClassesBeside(ArchitectureTests.class),
                HouseRules.testClassesBeside(ArchitectureTests.class),
                Set.of(
                        "ConnectionGroup",
                        "DefaultGroupTaskObservationConvention",
                        "ExchangeGroupKey",
                        "GroupClientHttpRequestInterceptor",
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
}
