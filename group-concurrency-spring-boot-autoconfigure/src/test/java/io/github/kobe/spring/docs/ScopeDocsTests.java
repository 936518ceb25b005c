package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.scope.GroupConcurrencyScopeAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.github.kobe.testing.Markdown;
import io.micrometer.context.ContextRegistry;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.web.context.request.RequestAttributesThreadLocalAccessor;

/** Keeps what the docs say of scopes in Spring true: code, and the answers of the endpoint. */
@ExtendWith(OutputCaptureExtension.class)
class ScopeDocsTests {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path folder;

    private static DocumentedApplication application;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyScopeAutoConfiguration.class))
            .withBean(ReportStore.class)
            .withPropertyValues("group-concurrency.shutdown.await-termination-period=300ms");

    @BeforeAll
    static void start() throws IOException {
        application = new DocumentedApplication(
                Markdown.page("docs/howto/spring-scopes.md").blocks("yaml").getFirst(), folder);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void theServiceOfTheHowtoLoadsItsPage() throws Exception {
        assertThat(application.bean(CustomerPages.class).load("nobody"))
                .isEqualTo(new CustomerPage(0, new Report("nobody", "new")));
    }

    @Test
    void theAnswersOfTheEndpointAreAsThePageShowsThem() throws Exception {
        List<String> shown = Markdown.page("docs/reference/scopes-endpoint.md").blocks("json");
        Gate gate = new Gate();
        GroupExecutor executor = application.bean(GroupExecutor.class);
        Caller<?> owner = Caller.startPlatform(() -> {
            try (var scope = application.bean(Scopes.class).open(Joiner.<String>awaitAll())) {
                scope.fork("tenant:shown", gate.then("first"));
                scope.fork("tenant:shown", gate.then("second"));
                scope.fork("tenant:shown", gate.then("third"));
                return scope.join();
            }
        });
        try {
            Deadline.until(
                    "two run and one waits",
                    () -> executor.groupStats("tenant:shown")
                            .filter(group -> group.running() == 2 && group.queued() == 1)
                            .isPresent());
            JsonNode page = JSON.readTree(shown.getFirst());
            JsonNode scopes =
                    JSON.readTree(application.get("/actuator/groupscopes").body());

            assertThat(kinds(scopes.path("scopes").path(0)))
                    .isEqualTo(kinds(page.path("scopes").path(0)));
            assertThat(kinds(scopes.at("/scopes/0/forks/0"))).isEqualTo(kinds(page.at("/scopes/0/forks/0")));
            assertThat(kinds(scopes.at("/scopes/0/forks/2"))).isEqualTo(kinds(page.at("/scopes/0/forks/1")));
            assertThat(kinds(scopes.at("/scopes/0/holders/tenant:shown/0")))
                    .isEqualTo(kinds(page.at("/scopes/0/holders/tenant:a/0")));
            assertThat(kinds(scopes.at("/scopes/0/owner"))).isEqualTo(kinds(page.at("/scopes/0/owner")));
            assertThat(kinds(scopes.at("/scopes/0/totals"))).isEqualTo(kinds(page.at("/scopes/0/totals")));
            assertThat(kinds(scopes)).isEqualTo(kinds(page));
        } finally {
            gate.open();
        }
        owner.result();

        HttpResponse<String> refusal = application.get("/actuator/groupscopes?limit=0");
        assertThat(refusal.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(refusal.body())).isEqualTo(JSON.readTree(shown.get(1)));
    }

    /** {@return the fields of an object, and what each is} */
    private static Map<String, String> kinds(JsonNode object) {
        Map<String, String> kinds = new TreeMap<>();
        object.fieldNames()
                .forEachRemaining(
                        name -> kinds.put(name, object.path(name).getNodeType().toString()));
        return kinds;
    }

    @Test
    void theFurtherScopesOfTheHowtoForkIntoTheirExecutor() {
        runner.withUserConfiguration(ReportExecutors.class, NightlyConfiguration.class)
                .withBean(SlowForks.class)
                .run(context -> {
                    Scopes nightly = context.getBean("nightlyScopes", Scopes.class);
                    try (var scope = nightly.open()) {
                        scope.fork("tenant:a", () -> "forked");
                        scope.join();
                        assertThat(scope.settings().timeout()).isEmpty();
                        assertThat(scope.settings().listeners()).containsExactly(context.getBean(SlowForks.class));
                    }
                    assertThat(context.getBean("nightly", GroupExecutor.class).groupKeys())
                            .containsExactly("tenant:a");
                    assertThat(context.getBean(Scopes.class)).isNotSameAs(nightly);
                });
    }

    @Test
    void theListenerOfTheHowtoTellsOfForksThatAreCancelled(CapturedOutput output) {
        runner.withBean(SlowForks.class).run(context -> {
            Gate gate = new Gate();
            try (var scope =
                    context.getBean(Scopes.class).open(Joiner.<String>awaitAll(), change -> change.withName("page"))) {
                scope.fork("tenant:a", gate.then("never"));
                gate.awaitArrived(1);
                scope.cancel();
                scope.join();
            }
            assertThat(output).contains("task-1 of page was cancelled after PT");
        });
    }

    @Test
    void theAccessorOfTheHowtoIsThatOfTheRequest() {
        try {
            RequestsInForks.register();
            assertThat(ContextRegistry.getInstance().getThreadLocalAccessors())
                    .hasAtLeastOneElementOfType(RequestAttributesThreadLocalAccessor.class);
        } finally {
            ContextRegistry.getInstance().removeThreadLocalAccessor(RequestAttributesThreadLocalAccessor.KEY);
        }
    }

    @Test
    void theServerOfTheHowtoServesUntilTheApplicationStopsAndKeepsItFromNothing(CapturedOutput output) {
        runner.withBean(InboxServer.class)
                .withPropertyValues("group-concurrency.shutdown.await-termination-period=10s")
                .run(context -> {
                    InboxServer server = context.getBean(InboxServer.class);
                    GroupExecutor executor = context.getBean(GroupExecutor.class);
                    assertThat(server.isRunning()).isTrue();
                    server.inbox.add("a");
                    Deadline.until(
                            "a report is built",
                            () -> executor.groupStats("tenant:a")
                                    .filter(group -> group.totals().succeeded() == 1)
                                    .isPresent());
                    executor.pause("tenant:b");
                    server.inbox.add("b");
                    Deadline.until(
                            "another one waits",
                            () -> executor.groupStats("tenant:b")
                                    .filter(group -> group.queued() == 1)
                                    .isPresent());

                    context.getSourceApplicationContext().close();

                    assertThat(server.isRunning()).isFalse();
                    assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
                    assertThat(output).doesNotContain("is not quiet");
                });
    }

    @Test
    void aServerThatNothingStopsTakesAllTheTimeThereIsForQuiet(CapturedOutput output) {
        runner.withBean(Unstopped.class).run(context -> {
            Unstopped server = context.getBean(Unstopped.class);
            server.gate.awaitArrived(1);
            context.getSourceApplicationContext().close();
            assertThat(output).contains("groupExecutor is not quiet after PT0.3S");
            server.ended.pass();
        });
    }

    /** As the server of the howto, but for its end. */
    static class Unstopped implements SmartLifecycle {

        final Gate gate = new Gate();
        final Gate ended = new Gate();
        private final Scopes scopes;

        Unstopped(Scopes scopes) {
            this.scopes = scopes;
        }

        @Override
        public void start() {
            Thread.ofVirtual().start(() -> {
                try (var scope = scopes.open(Joiner.<String>awaitAll(), change -> change.withoutTimeout())) {
                    scope.fork("tenant:a", gate.then("served"));
                    scope.join();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                } finally {
                    ended.open();
                }
            });
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
