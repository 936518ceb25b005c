package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.endpoint.StrictArguments;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

class GroupScopesEndpointAutoConfigurationTests {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=groupscopes";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class,
                    GroupExecutorEndpointAutoConfiguration.class,
                    GroupScopesEndpointAutoConfiguration.class));

    @Test
    void anExposedEndpointIsThereAndTheOtherOneIsNot() {
        runner.withPropertyValues(EXPOSED)
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupScopesEndpoint.class)
                        .hasSingleBean(StrictArguments.class)
                        .doesNotHaveBean(GroupExecutorEndpoint.class));
    }

    @Test
    void bothAreThereTogether() {
        runner.withPropertyValues(EXPOSED + ",groupexecutor")
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupScopesEndpoint.class)
                        .hasSingleBean(GroupExecutorEndpoint.class)
                        .getBeans(StrictArguments.class)
                        .hasSize(2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoints.web.exposure.include=groupexecutor",
                EXPOSED + "|management.endpoint.groupscopes.access=NONE",
                EXPOSED + "|group-concurrency.enabled=false"
            })
    void anEndpointThatIsNotExposedOrHasNoAccessIsNot(String settings) {
        runner.withPropertyValues(settings.split("\\|"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(GroupScopesEndpoint.class));
    }

    @Test
    void overJmxItIsThereWhereItIsExposed() {
        runner.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=groupscopes")
                .run(context -> assertThat(context).hasSingleBean(GroupScopesEndpoint.class));
    }

    @Test
    void anEndpointOfTheApplicationsOwnIsTheOnlyOne() {
        runner.withPropertyValues(EXPOSED)
                .withBean("own", GroupScopesEndpoint.class, () -> new GroupScopesEndpoint(Map::of, ""))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupScopesEndpoint.class)
                        .hasBean("own"));
    }

    @Test
    void scopesOfAnExecutorOfTheApplicationsOwnAreShownWhoeverOpensThem() {
        runner.withPropertyValues(EXPOSED)
                .withBean(
                        "mine",
                        GroupExecutor.class,
                        () -> GroupExecutor.newVirtualThreadExecutor(
                                GroupPolicy.builder().build()))
                .run(context -> {
                    GroupScopesEndpoint endpoint = context.getBean(GroupScopesEndpoint.class);
                    try (var scope =
                            Scopes.of(context.getBean(GroupExecutor.class)).open()) {
                        assertThat(scope.isCancelled()).isFalse();
                        assertThat(endpoint.scopes(null, null).scopes()).hasSize(1);
                        assertThat(endpoint.scopes(null, "mine").scopes()).hasSize(1);
                    }
                    assertThat(endpoint.scopes(null, null).scopes()).isEmpty();
                });
    }

    @Test
    void theExecutorOfAParentContextIsFound() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext()) {
            parent.registerBean(
                    "of-parent",
                    GroupExecutor.class,
                    () -> GroupExecutor.newVirtualThreadExecutor(
                            GroupPolicy.builder().build()));
            parent.refresh();
            runner.withPropertyValues(EXPOSED).withParent(parent).run(context -> {
                try (var scope = Scopes.of(parent.getBean(GroupExecutor.class)).open()) {
                    assertThat(scope.isCancelled()).isFalse();
                    assertThat(context.getBean(GroupScopesEndpoint.class)
                                    .scopes(null, null)
                                    .scopes())
                            .hasSize(1);
                }
            });
        }
    }
}
