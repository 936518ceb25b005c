package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class GroupExecutorEndpointAutoConfigurationTests {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=groupexecutor";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupExecutorEndpointAutoConfiguration.class));

    @Test
    void anExposedEndpointIsThere() {
        runner.withPropertyValues(EXPOSED)
                .run(context -> assertThat(context).hasSingleBean(GroupExecutorEndpoint.class));
    }

    @Test
    void anEndpointThatIsNotExposedIsNot() {
        runner.run(context ->
                assertThat(context).hasSingleBean(GroupExecutor.class).doesNotHaveBean(GroupExecutorEndpoint.class));
    }

    @Test
    void anEndpointWithoutAccessIsNot() {
        runner.withPropertyValues(EXPOSED, "management.endpoint.groupexecutor.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(GroupExecutorEndpoint.class));
    }

    @Test
    void switchedOffThereIsNone() {
        runner.withPropertyValues(EXPOSED, "group-concurrency.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(GroupExecutorEndpoint.class));
    }

    @Test
    void anEndpointOfTheApplicationsOwnIsTheOnlyOne() {
        runner.withPropertyValues(EXPOSED)
                .withBean(
                        "own",
                        GroupExecutorEndpoint.class,
                        () -> new GroupExecutorEndpoint(Map::of, "", "instance", event -> {}))
                .run(context -> assertThat(context)
                        .hasSingleBean(GroupExecutorEndpoint.class)
                        .hasBean("own"));
    }

    @Test
    void anExecutorOfTheApplicationsOwnIsShown() {
        runner.withPropertyValues(EXPOSED)
                .withBean("mine", GroupExecutor.class, () -> {
                    GroupExecutor mine = GroupExecutor.newVirtualThreadExecutor(
                            GroupPolicy.builder().build());
                    mine.pause("paused");
                    return mine;
                })
                .run(context -> {
                    GroupExecutorEndpoint endpoint = context.getBean(GroupExecutorEndpoint.class);
                    String[] path = {"paused"};
                    assertThat(endpoint.group(path, null, null, null, null).paused())
                            .isTrue();
                    assertThat(endpoint.group(path, null, null, null, "mine").paused())
                            .isTrue();
                    assertThatExceptionOfType(RefusedRequestException.class)
                            .isThrownBy(() -> endpoint.group(path, null, null, null, "groupExecutor"));
                });
    }
}
