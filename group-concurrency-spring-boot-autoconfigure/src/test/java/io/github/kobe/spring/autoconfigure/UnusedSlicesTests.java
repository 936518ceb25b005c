package io.github.kobe.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.spring.actuate.GroupExecutorEndpoint;
import io.github.kobe.spring.actuate.GroupScopesEndpoint;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.testing.NeededAutoConfigurations;
import io.github.kobe.spring.testing.SeparateClassPath;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** What an application doesn't use costs it nothing: no bean is made of it, and no class is loaded. */
class UnusedSlicesTests {

    private static final String[] JARS_OF_ALL_THAT_IS_OPTIONAL = {
        "context-propagation",
        "group-concurrency-dashboard",
        "group-concurrency-redis",
        "group-concurrency-rollout",
        "micrometer",
        "lettuce",
        "mutiny",
        "netty",
        "reactive-streams",
        "reactor",
        "rxjava",
        "spring-boot-actuator",
        "spring-boot-health",
        "spring-boot-micrometer",
        "spring-boot-starter-actuator",
        "spring-boot-webmvc",
        "spring-cloud",
        "spring-data",
        "spring-jdbc",
        "spring-security",
        "spring-web",
        "tomcat"
    };

    private static final String EXPOSED = "--management.endpoints.web.exposure.include=groupexecutor,groupscopes";

    /** A condition that is looked at even if another has said no. */
    private static final String ON_OBSERVATION_MODE = "io.github.kobe.spring.observation.OnObservationMode";

    private static final String[] PACKAGES_FOR_EVERY_APPLICATION = {
        "",
        "annotation",
        "autoconfigure",
        "internal.context",
        "internal.executors",
        "internal.settings",
        "method",
        "scope"
    };

    @Test
    void withoutTheOptionalJarsThereIsNothingOfTheirSlices() throws Exception {
        Started started = Started.with(JARS_OF_ALL_THAT_IS_OPTIONAL);

        assertThat(started.beans()).contains("groupExecutor");
        assertThat(started.packages()).isSubsetOf(PACKAGES_FOR_EVERY_APPLICATION);
    }

    @ParameterizedTest
    @Tag("deep")
    @CsvSource({
        "group-concurrency.metrics.enabled=false, metrics.",
        "group-concurrency.observations.mode=never, observation.",
        "group-concurrency.context-propagation.enabled=false, internal.context.MdcTaskDecorator",
        "group-concurrency.annotation.enabled=false, method.",
        "management.endpoints.web.exposure.exclude=groupexecutor, actuate.GroupExecutorEndpointAutoConfiguration",
        "management.endpoints.web.exposure.exclude=groupscopes, actuate.GroupScopesReport",
    })
    void whatASettingSwitchesOffIsNotThere(String setting, String slice) throws Exception {
        Started started = Started.with(new String[0], EXPOSED, "--" + setting);

        assertThat(started.classes())
                .filteredOn(name -> !name.equals(ON_OBSERVATION_MODE))
                .anyMatch(name -> name.endsWith(".GroupExecutorLifecycle"))
                .noneMatch(name -> name.startsWith("io.github.kobe.spring." + slice));
    }

    @Test
    @Tag("deep")
    void whatNothingSwitchesOffIsThere() throws Exception {
        assertThat(Started.with(new String[0], EXPOSED).packages())
                .contains("metrics", "autoconfigure", "method", "actuate", "scope");
    }

    @Test
    @Tag("deep")
    void switchedOffThereIsNothingButTheConditionsThatTell() throws Exception {
        Started started = Started.with(new String[0], "--group-concurrency.enabled=false");

        assertThat(started.beans()).isEmpty();
        // The annotation may be looked at; nothing comes with it.
        assertThat(started.classes())
                .filteredOn(name -> !name.equals(GroupConcurrent.class.getName()))
                .containsExactlyInAnyOrder(
                        OnGroupConcurrencyEnabled.class.getName(),
                        "io.github.kobe.spring.internal.executors.ConditionalOnDefaultExecutor",
                        "io.github.kobe.spring.internal.executors.OnDefaultExecutor",
                        ON_OBSERVATION_MODE);
    }

    /**
     * What there was of ours in an application.
     *
     * @param beans the names of the beans, the application's own apart
     * @param classes the names of the classes that were loaded
     */
    private record Started(Set<String> beans, Set<String> classes) {

        static Started with(String[] missingJars, String... settings) throws Exception {
            try (SeparateClassPath path = new SeparateClassPath(missingJars)) {
                String[] beans = (String[]) path.call(Application.class, "run", settings);
                Set<String> classes = new TreeSet<>(path.loaded());
                classes.removeIf(name -> name.startsWith(UnusedSlicesTests.class.getName())
                        || name.startsWith(NeededAutoConfigurations.class.getName()));
                return new Started(new TreeSet<>(Arrays.asList(beans)), classes);
            }
        }

        /**
         * {@return the packages of the classes, below ours, but for those by which Boot knows if they are exposed, and the
         * one that an application may ask for} None is made of either.
         */
        Set<String> packages() {
            Set<String> packages = new TreeSet<>();
            for (String type : classes) {
                if (type.equals(GroupExecutorEndpoint.class.getName())
                        || type.equals(GroupScopesEndpoint.class.getName())
                        || type.equals(GroupConcurrencyRefresher.class.getName())) {
                    continue;
                }
                String below = type.substring("io.github.kobe.spring.".length());
                packages.add(below.substring(0, Math.max(0, below.lastIndexOf('.'))));
            }
            return packages;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        /** {@return the names of the beans whose types are ours} */
        static String[] run(String... arguments) {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .run(arguments)) {
                return Arrays.stream(context.getBeanDefinitionNames())
                        .filter(name -> isOurs(context.getType(name)))
                        .toArray(String[]::new);
            }
        }

        private static boolean isOurs(Class<?> type) {
            return type != null && type != Application.class && type.getName().startsWith("io.github.kobe.");
        }
    }
}
