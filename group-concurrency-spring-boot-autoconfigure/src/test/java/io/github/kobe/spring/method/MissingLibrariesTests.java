package io.github.kobe.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.testing.SeparateClassPath;
import io.github.kobe.testing.Deadline;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Where a library is missing by which a type could be limited, nothing is silently unlimited. */
class MissingLibrariesTests {

    private static final String NONE = "none";

    /** By the jars that are missing: most of what a test takes is loading Spring anew. */
    private static final Map<String, SeparateClassPath> PATHS = new HashMap<>();

    @AfterAll
    static void closeAll() throws IOException {
        for (SeparateClassPath path : PATHS.values()) {
            path.close();
        }
        PATHS.clear();
    }

    @ParameterizedTest
    @Tag("deep")
    @CsvSource({
        "reactor, Rx, 'it returns io.reactivex.rxjava3.core.Single, which needs Reactor'",
        "reactor, Mutiny, 'it returns io.smallrye.mutiny.Uni, which needs Reactor'",
        "reactor, OfTheJdk, 'it returns java.util.concurrent.Flow$Publisher, which needs Reactor'",
        "react, Rx, 'it returns io.reactivex.rxjava3.core.Single, whose end the limit cannot see'",
        "react, Mutiny, 'it returns io.smallrye.mutiny.Uni, whose end the limit cannot see'",
    })
    void theStartUpFails(String jars, String bean, String reason) throws Exception {
        assertThat(failureWithout(jars, bean)).contains(reason);
    }

    @Test
    void whatNeedsNoneWorks() throws Exception {
        assertThat(failureWithout("react", "Dispatched")).isEqualTo(NONE);
    }

    @Test
    void aReactiveMethodIsLimitedWithoutMicrometer() throws Exception {
        assertThat(without("micrometer").call(Application.class, "groupOfTheReactiveMethod"))
                .isEqualTo("g");
    }

    private static String failureWithout(String jars, String bean) throws Exception {
        return (String) without(jars).call(Application.class, "start", bean);
    }

    private static SeparateClassPath without(String jars) {
        return PATHS.computeIfAbsent(jars, SeparateClassPath::new);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class})
    static class Application {

        /** {@return what keeps an application with a bean from starting} */
        static String start(String... beans) throws Exception {
            Class<?> bean = Class.forName(MissingLibrariesTests.class.getName() + "$" + beans[0]);
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class, bean)
                    .web(WebApplicationType.NONE)
                    .run()) {
                return context.getBean(bean) == null ? "no bean" : NONE;
            } catch (RuntimeException failure) {
                Throwable cause = failure;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                return cause.toString();
            }
        }

        /** {@return the key of the group inside which a reactive method runs} */
        static String groupOfTheReactiveMethod(String... none) {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(
                            Application.class, Reactive.class)
                    .web(WebApplicationType.NONE)
                    .run(none)) {
                return context.getBean(Reactive.class).work().block(Deadline.LONG);
            }
        }
    }

    static class Rx {
        @GroupConcurrent(group = "g")
        Single<String> work() {
            return Single.just("");
        }
    }

    static class Mutiny {
        @GroupConcurrent(group = "g")
        Uni<String> work() {
            return Uni.createFrom().item("");
        }
    }

    static class OfTheJdk {
        @GroupConcurrent(group = "g")
        Flow.Publisher<String> work() {
            return new SubmissionPublisher<>();
        }
    }

    static class Reactive {

        private final GroupExecutor executor;

        Reactive(GroupExecutor executor) {
            this.executor = executor;
        }

        @GroupConcurrent(group = "g")
        Mono<String> work() {
            return Mono.fromCallable(() -> {
                try (GroupPermit permit = executor.enclosingPermit("g").orElseThrow()) {
                    return permit.groupKey();
                }
            });
        }
    }

    static class Dispatched {
        @GroupConcurrent(group = "g")
        CompletableFuture<String> work() {
            return CompletableFuture.completedFuture("");
        }
    }
}
