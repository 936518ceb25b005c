package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.LimitSource;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keeps what the docs say of Spring true: code, settings, requests, and the tables of properties and meters. */
class DocsTests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern CURL =
            Pattern.compile("curl (?:-X (\\w+) )?(?:-H 'Content-Type: application/json' )?(?:-d '([^']*)'"
                    + " )?'?localhost:8080([^'\\s]*)'?");
    private static final String SOURCES =
            "group-concurrency-spring-boot-autoconfigure/src/test/java/io/github/kobe/spring/docs";
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    static Stream<String> code() {
        return Page.all().stream().flatMap(page -> page.blocks("java spring").stream());
    }

    @ParameterizedTest
    @MethodSource("code")
    void codeInTheDocsStandsInASourceThatIsCompiledHere(String code) throws IOException {
        try (Stream<Path> files = Files.list(Page.repository().resolve(SOURCES))) {
            List<String> sources = files.map(DocsTests::read)
                    .map(DocsTests::withoutIndentation)
                    .toList();
            assertThat(sources).anyMatch(source -> source.contains(withoutIndentation(code)));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String withoutIndentation(String code) {
        return code.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    static Stream<String> settings() {
        return Page.all().stream().flatMap(page -> page.blocks("yaml").stream());
    }

    @ParameterizedTest
    @MethodSource("settings")
    void anApplicationStartsWithTheSettingsInTheDocs(String yaml) throws IOException {
        try (DocumentedApplication application = new DocumentedApplication(yaml, folder)) {
            assertThat(application.bean(GroupExecutor.class).isShutdown()).isFalse();
        }
    }

    @Test
    void theQuickStartWorksAsWritten() throws Exception {
        try (DocumentedApplication application = quickStart()) {
            assertThat(application.bean(TenantReports.class).build("a")).isEqualTo(new Report("a", "new"));

            JsonNode groups = json(application.get("/actuator/groupexecutor")).path("groups");
            assertThat(groups.at("/tenant:a/limits/maxConcurrency/value").asInt())
                    .isEqualTo(4);
            assertThat(groups.at("/tenant:a/totals/succeeded").asInt()).isEqualTo(1);
            assertThat(application
                            .get("/actuator/metrics/group.executor.running?tag=group:vip")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private DocumentedApplication quickStart() throws IOException {
        return new DocumentedApplication(Page.of("README.md").blocks("yaml").getFirst(), folder);
    }

    @Test
    void aFallbackAnswersWhereThereIsNoRoomAndTheAdviceWith429() throws Exception {
        try (DocumentedApplication application = quickStart()) {
            GroupExecutor executor = application.bean(GroupExecutor.class);
            executor.setLimits(
                    "tenant:a", GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0));
            GroupPermit permit =
                    executor.acquireAsync("tenant:a").toCompletableFuture().get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
            try {
                assertThat(application.bean(TenantReports.class).buildOrLast("a"))
                        .isEqualTo(new Report("a", "last"));
                HttpResponse<String> refusal = application.get("/reports/a");
                assertThat(refusal.statusCode()).isEqualTo(429);
                assertThat(json(refusal).path("reason").asText()).isEqualTo("GROUP_QUEUE_FULL");
            } finally {
                permit.close();
            }
            assertThat(application.get("/reports/a").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void theResolverIsAskedForGroupsThatNoSettingNames() throws Exception {
        try (DocumentedApplication application = quickStart()) {
            GroupExecutor executor = application.bean(GroupExecutor.class);
            assertThat(executor.call("gold:1", () -> "ran")).isEqualTo("ran");
            assertThat(executor.groupStats("gold:1").orElseThrow().maxConcurrency())
                    .isEqualTo(new EffectiveLimit<>(8, LimitSource.RESOLVER));
        }
    }

    @Test
    void asynchronousMethodsRunInTheGroupOfTheirExecutor() throws Exception {
        try (DocumentedApplication application = quickStart()) {
            assertThat(application.bean(TenantReports.class).export("a"))
                    .succeedsWithin(DEADLINE)
                    .isEqualTo(new Report("a", "new"));
            GroupExecutor executor = application.bean(GroupExecutor.class);
            assertThat(executor.awaitQuiet(DEADLINE)).isTrue();
            assertThat(executor.groupStats("exports").orElseThrow().totals().succeeded())
                    .isEqualTo(1);
        }
    }

    @Test
    void theRequestsOfTheHowtoAreAnswered() throws Exception {
        Page howto = Page.of("docs/howto/live-control.md");
        String requests = howto.blocks("").getFirst().replaceAll("\\\\\\n\\s*", "");
        try (DocumentedApplication application =
                new DocumentedApplication(howto.blocks("yaml").getFirst(), folder)) {
            List<MatchResult> curls = CURL.matcher(requests).results().toList();
            assertThat(curls).hasSameSizeAs(requests.lines().toList());
            for (MatchResult curl : curls) {
                String method = curl.group(1) == null ? "GET" : curl.group(1);
                HttpResponse<String> answer = application.send(method, curl.group(3), curl.group(2));
                assertThat(answer.statusCode()).as(curl.group()).isEqualTo(method.equals("DELETE") ? 204 : 200);
            }
        }
    }

    @Test
    void theAnswersOfTheEndpointAreAsThePageShowsThem() throws Exception {
        List<String> shown = Page.of("docs/reference/endpoint.md").blocks("json");
        try (DocumentedApplication application = quickStart()) {
            application.bean(TenantReports.class).build("a");

            HttpResponse<String> group = application.get("/actuator/groupexecutor/tenant:a");
            assertThat(fields(json(group))).isEqualTo(fields(JSON.readTree(shown.get(0))));
            assertThat(json(group).at("/limits/queueTimeout/value").asText()).isEqualTo("PT5S");

            JsonNode all = json(application.get("/actuator/groupexecutor"));
            JsonNode shownAll = JSON.readTree(shown.get(1));
            assertThat(names(all)).isEqualTo(names(shownAll));
            assertThat(names(all.path("global"))).isEqualTo(names(shownAll.path("global")));
        }
        String yaml = Page.of("docs/howto/live-control.md").blocks("yaml").getFirst();
        try (DocumentedApplication application = new DocumentedApplication(yaml, folder)) {
            HttpResponse<String> refusal =
                    application.send("POST", "/actuator/groupexecutor", "{\"group\": \"a\", \"maxConcurrency\": 0}");
            assertThat(refusal.statusCode()).isEqualTo(400);
            assertThat(json(refusal)).isEqualTo(JSON.readTree(shown.get(2)));
        }
    }

    private static JsonNode json(HttpResponse<String> answer) throws IOException {
        return JSON.readTree(answer.body());
    }

    private static Set<String> names(JsonNode object) {
        Set<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** {@return the paths of all fields} */
    private static Set<String> fields(JsonNode object) {
        Set<String> fields = new TreeSet<>();
        for (String name : names(object)) {
            fields.add(name);
            fields(object.path(name)).forEach(field -> fields.add(name + "." + field));
        }
        return fields;
    }

    @Test
    void thePageOfPropertiesNamesEachWithItsDefault() throws IOException {
        Page page = Page.of("docs/reference/properties.md");
        try (InputStream metadata =
                GroupConcurrent.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            List<JsonNode> properties = StreamSupport.stream(
                            JSON.readTree(metadata).path("properties").spliterator(), false)
                    .filter(property -> property.path("name").asText().startsWith("group-concurrency."))
                    .toList();
            assertThat(properties).isNotEmpty().allSatisfy(property -> {
                String name = property.path("name").asText().substring("group-concurrency.".length());
                assertThat(page.text()).containsPattern("(?m)^\\| `" + Pattern.quote(name) + "(\"?[`.\\[])");
                String value = property.path("defaultValue").asText();
                boolean none = value.isEmpty() || value.equals("2147483647") || value.startsWith("PT25620");
                assertThat(none || page.text().contains("| `" + name + "` | `" + value + "` |"))
                        .as(name + " has the default " + value)
                        .isTrue();
            });
        }
    }

    @Test
    void thePageOfMetersNamesThemAllAndNoOther() throws Exception {
        try (DocumentedApplication application = quickStart()) {
            application.bean(TenantReports.class).build("a");
            Set<String> registered = application.bean(MeterRegistry.class).getMeters().stream()
                    .map(Meter::getId)
                    .map(Meter.Id::getName)
                    .filter(name -> name.startsWith("group.executor."))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(Page.of("docs/reference/meters.md").firstCells("group\\.executor\\.[a-z.]+"))
                    .isEqualTo(registered);
        }
    }
}
