package io.github.kobe.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** When there is a page, and when the application doesn't start for want of what it takes. */
@ExtendWith(OutputCaptureExtension.class)
class DashboardSettingsTests {

    /** What settles the settings, without a server. */
    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyDashboardAutoConfiguration.class))
            .withPropertyValues("group-concurrency.dashboard.enabled=true");

    private static void failsToStart(WebApplicationType type, String... settings) {
        assertThatException().isThrownBy(() -> new PageServer(type, settings).close());
    }

    @Test
    void byDefaultThereIsNone() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=groupexecutor",
                        "--group-concurrency.rollout.enabled=false")) {
            assertThat(context.getBeansOfType(DashboardPath.class)).isEmpty();
            assertThat(context.getBeansOfType(DashboardPage.class)).isEmpty();
            assertThat(context.getBeansOfType(DashboardServletRegistration.class))
                    .isEmpty();
        }
    }

    @Test
    void aNativeImageFindsTheNamesOfTheSettings() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar()
                .registerRuntimeHints(hints, GroupConcurrencyDashboardAutoConfiguration.class);

        assertThat(GroupDashboardProperties.class.getRecordComponents())
                .allSatisfy(component -> assertThat(RuntimeHintsPredicates.reflection()
                                .onMethod(GroupDashboardProperties.class, component.getName())
                                .invoke())
                        .accepts(hints));
    }

    @ParameterizedTest
    @Tag("deep")
    @ValueSource(
            strings = {
                "management.endpoints.web.exposure.include=health",
                "management.endpoints.web.exposure.exclude=groupexecutor",
                "management.endpoint.groupexecutor.access=none"
            })
    void withoutTheEndpointTheApplicationDoesNotStart(String setting, CapturedOutput output) {
        failsToStart(WebApplicationType.SERVLET, setting);
        failsToStart(WebApplicationType.REACTIVE, setting);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Setting 'group-concurrency.dashboard.enabled' is true, but the endpoint groupexecutor is not"
                        + " exposed over HTTP")
                .contains("Allowed: false, or groupexecutor in management.endpoints.web.exposure.include");
    }

    @Test
    void withoutAPortForEndpointsTheApplicationDoesNotStart(CapturedOutput output) {
        failsToStart(WebApplicationType.SERVLET, "management.server.port=-1");

        assertThat(output)
                .contains("is true, but there is no port for endpoints")
                .contains("Allowed: false, or a management.server.port that is not negative");
    }

    @Test
    void withoutTheActuatorTheApplicationDoesNotStart() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(InvalidSettingException.class)
                        .hasStackTraceContaining("is true, but Spring Boot's actuator is not there"));
    }

    @Test
    @Tag("deep")
    void itStartsLazilyTooAndFailsTheSame(CapturedOutput output) throws Exception {
        String lazy = "spring.main.lazy-initialization=true";
        try (PageServer server = new PageServer(WebApplicationType.SERVLET, lazy)) {
            assertThat(server.get("/group-concurrency/settings.json").statusCode())
                    .isEqualTo(200);
        }
        failsToStart(WebApplicationType.SERVLET, lazy, "management.endpoint.groupexecutor.access=none");
        assertThat(output).contains("is not exposed over HTTP");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "live", "/live/", "/live/**", "/live/{page}", "/../live", "//live"})
    void whatIsNoPlainPathIsTold(String path) {
        runner.withPropertyValues("group-concurrency.dashboard.path=" + path)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(InvalidSettingException.class)
                        .hasMessageStartingWith("Setting 'group-concurrency.dashboard.path' is no plain path"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator", "/actuator/groupexecutor"})
    void aPathThatIsInTheWayIsTold(String path, CapturedOutput output) {
        failsToStart(WebApplicationType.SERVLET, "group-concurrency.dashboard.path=" + path);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Setting 'group-concurrency.dashboard.path' is in the way of the endpoint"
                        + " /actuator/groupexecutor");
    }

    @Test
    @Tag("deep")
    void aMisspeltNameIsTold(CapturedOutput output) {
        failsToStart(WebApplicationType.SERVLET, "group-concurrency.dashboard.pth=/live");

        assertThat(output).contains("is unknown. Did you mean 'group-concurrency.dashboard.path'?");
    }

    @Test
    @Tag("deep")
    void whereThereIsNoWebServerNothingIsAskedFor() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run("--group-concurrency.dashboard.enabled=true", "--group-concurrency.rollout.enabled=false")) {
            assertThat(context.getBeansOfType(DashboardPath.class)).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
