package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.Rate;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.actuate.GroupExecutorReport;
import io.github.kobe.spring.actuate.GroupReport;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.web.ExchangeGroupKey;
import io.github.kobe.spring.web.RequestGroupKey;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Markdown;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.micrometer.context.ContextRegistry;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.ClassPathBeanDefinitionScanner;
import org.springframework.core.type.filter.AssignableTypeFilter;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Keeps what the docs say of Spring true: code, settings, requests and answers. */
class DocsTests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern CURL =
            Pattern.compile("curl (?:-X (\\w+) )?(?:-H 'Content-Type: application/json' )?(?:-d '([^']*)'"
                    + " )?'?localhost:8080([^'\\s]*)'?");
    private static final List<String> SOURCES = List.of(
            "group-concurrency-dashboard/src/test/java/io/github/kobe/spring/docs",
            "group-concurrency-rollout-spring-boot/src/test/java/io/github/kobe/spring/docs",
            "group-concurrency-spring-boot-autoconfigure/src/test/java/io/github/kobe/spring/docs",
            "group-concurrency-spring-boot-test/src/test/java/io/github/kobe/spring/test/docs",
            "group-concurrency-spring-boot-test/src/test/java/io/github/kobe/spring/test/listeners",
            "compat-boot41/src/test/java/io/github/kobe/compat");

    /** By their settings; several tests look at the same one, at groups of their own. */
    private static final Map<String, DocumentedApplication> STARTED = new HashMap<>();

    @TempDir
    static Path folder;

    @AfterAll
    static void stopAll() {
        STARTED.values().forEach(DocumentedApplication::close);
        STARTED.clear();
    }

    private static DocumentedApplication startedWith(String yaml) throws IOException {
        DocumentedApplication application = STARTED.get(yaml);
        if (application == null) {
            application = new DocumentedApplication(yaml, Files.createTempDirectory(folder, "settings"));
            STARTED.put(yaml, application);
        }
        return application;
    }

    private static DocumentedApplication of(String page, int settings) throws IOException {
        return startedWith(Markdown.page(page).blocks("yaml").get(settings));
    }

    private static DocumentedApplication quickStart() throws IOException {
        return of("README.md", 0);
    }

    /** But for the README in Chinese, whose code is that of the English one. */
    static Stream<String> code() {
        return Markdown.pages().stream()
                .filter(page -> !page.name().equals("README.zh-CN.md"))
                .flatMap(page -> page.blocks("java spring").stream());
    }

    @ParameterizedTest
    @Tag("once")
    @MethodSource("code")
    void codeInTheDocsStandsInASourceThatIsCompiledHere(String code) throws IOException {
        List<String> sources = new ArrayList<>();
        for (String folder : SOURCES) {
            try (Stream<Path> files = Files.list(Markdown.repository().resolve(folder))) {
                files.map(DocsTests::read).map(DocsTests::withoutIndentation).forEach(sources::add);
            }
        }
        List<String> imports =
                code.lines().filter(line -> line.startsWith("import ")).toList();
        String rest = code.lines().filter(line -> !line.startsWith("import ")).collect(Collectors.joining("\n"));
        assertThat(sources)
                .anyMatch(source -> source.contains(withoutIndentation(rest).strip())
                        && imports.stream().allMatch(source::contains));
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

    @Test
    void aFallbackAnswersWhereThereIsNoRoomAndTheAdviceWith429() throws Exception {
        DocumentedApplication application = quickStart();
        GroupExecutor executor = application.bean(GroupExecutor.class);
        executor.setLimits(
                "tenant:full", GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0));
        GroupPermit permit =
                executor.acquireAsync("tenant:full").toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS);
        try {
            assertThat(application.bean(TenantReports.class).buildOrLast("full"))
                    .isEqualTo(new Report("full", "last"));
            HttpResponse<String> refusal = application.get("/reports/full");
            assertThat(refusal.statusCode()).isEqualTo(429);
            assertThat(json(refusal).path("reason").asText()).isEqualTo("GROUP_QUEUE_FULL");
            assertThat(refusal.headers().firstValue("Retry-After")).contains("1");
        } finally {
            permit.close();
        }
        assertThat(application.get("/reports/full").statusCode()).isEqualTo(200);
    }

    @Test
    void theResolverIsAskedForGroupsThatNoSettingNames() throws Exception {
        DocumentedApplication application = quickStart();
        GroupExecutor executor = application.bean(GroupExecutor.class);
        assertThat(executor.call("gold:1", () -> "ran")).isEqualTo("ran");
        assertThat(executor.groupStats("gold:1").orElseThrow().maxConcurrency())
                .isEqualTo(new EffectiveLimit<>(8, LimitSource.RESOLVER));
    }

    @Test
    void asynchronousMethodsRunInTheGroupOfTheirExecutor() throws Exception {
        DocumentedApplication application = quickStart();
        assertThat(application.bean(TenantReports.class).export("exporting"))
                .succeedsWithin(Deadline.LONG)
                .isEqualTo(new Report("exporting", "new"));
        GroupExecutor executor = application.bean(GroupExecutor.class);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(executor.groupStats("exports").orElseThrow().totals().succeeded())
                .isEqualTo(1);
    }

    @Test
    void aReactiveMethodIsAnsweredByItselfOrByItsFallback() throws Exception {
        DocumentedApplication application = quickStart();
        GroupExecutor executor = application.bean(GroupExecutor.class);
        executor.setLimits(
                "tenant:reactive", GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0));
        TenantReports reports = application.bean(TenantReports.class);
        assertThat(reports.stream("reactive").block(Deadline.LONG)).isEqualTo(new Report("reactive", "new"));
        GroupPermit permit =
                executor.acquireAsync("tenant:reactive").toCompletableFuture().get(Deadline.SECONDS, TimeUnit.SECONDS);
        try {
            assertThat(reports.stream("reactive").block(Deadline.LONG)).isEqualTo(new Report("reactive", "last"));
        } finally {
            permit.close();
        }
    }

    @Test
    void aThreadLocalWithAnAccessorGoesAlongWithATask() throws Exception {
        CurrentTenant.register();
        CurrentTenant.CURRENT_TENANT.set("a");
        try {
            assertThat(quickStart()
                            .bean(GroupExecutor.class)
                            .submit("tenant:carried", "1", CurrentTenant.CURRENT_TENANT::get)
                            .await()
                            .value())
                    .isEqualTo("a");
        } finally {
            CurrentTenant.CURRENT_TENANT.remove();
            ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
        }
    }

    @Test
    void theRequestsOfTheHowtoAreAnswered() throws Exception {
        Markdown howto = Markdown.page("docs/howto/live-control.md");
        String requests = howto.blocks("").getFirst().replaceAll("\\\\\\n\\s*", "");
        DocumentedApplication application = of("docs/howto/live-control.md", 0);
        List<MatchResult> curls = CURL.matcher(requests).results().toList();
        assertThat(curls).hasSameSizeAs(requests.lines().toList());
        for (MatchResult curl : curls) {
            String method = curl.group(1) == null ? "GET" : curl.group(1);
            HttpResponse<String> answer =
                    application.send(method, curl.group(3), curl.group(2) == null ? "" : curl.group(2));
            assertThat(answer.statusCode()).as(curl.group()).isEqualTo(method.equals("DELETE") ? 204 : 200);
        }
    }

    @Test
    void theAnswersOfTheEndpointAreAsThePageShowsThem() throws Exception {
        List<String> shown = Markdown.page("docs/reference/endpoint.md").blocks("json");
        DocumentedApplication application = quickStart();
        application.bean(TenantReports.class).build("shown");

        HttpResponse<String> group = application.get("/actuator/groupexecutor/tenant:shown");
        assertThat(fields(json(group))).isEqualTo(fields(JSON.readTree(shown.get(0))));
        assertThat(json(group).at("/limits/queueTimeout/value").asText()).isEqualTo("PT5S");

        JsonNode all = json(application.get("/actuator/groupexecutor"));
        JsonNode holders = JSON.readTree(shown.get(1));
        assertThat(names(holders.at("/holders/0"))).isEqualTo(components(GroupReport.Holder.class));
        assertThat(names(holders.at("/waiters/0"))).isEqualTo(components(GroupReport.Waiter.class));
        JsonNode explained = json(application.get("/actuator/groupexecutor/tenant:shown?explain=true"));
        JsonNode explanation = JSON.readTree(shown.get(2)).path("explanation");
        assertThat(names(explained.path("explanation"))).isEqualTo(names(explanation));
        assertThat(names(explained.at("/explanation/matches/0"))).isEqualTo(names(explanation.at("/matches/0")));

        assertThat(names(JSON.readTree(shown.get(3)).at("/rates/1"))).isEqualTo(components(GroupReport.RateUse.class));

        JsonNode shownAll = JSON.readTree(shown.get(4));
        assertThat(names(all)).isEqualTo(names(shownAll));
        assertThat(names(all.path("global"))).isEqualTo(names(shownAll.path("global")));

        assertThat(names(JSON.readTree(shown.get(5)).path("cluster")))
                .isEqualTo(components(GroupExecutorReport.Cluster.class));

        HttpResponse<String> refusal = of("docs/howto/live-control.md", 0)
                .send("POST", "/actuator/groupexecutor", "{\"group\": \"a\", \"maxConcurrency\": 0}");
        assertThat(refusal.statusCode()).isEqualTo(400);
        assertThat(json(refusal)).isEqualTo(JSON.readTree(shown.get(6)));
    }

    private static Set<String> components(Class<?> record) {
        return Stream.of(record.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toCollection(TreeSet::new));
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
    void theHowtoOnDatabasesLimitsReadsAndWrites() throws Exception {
        DocumentedApplication application = of("docs/howto/protect-a-database.md", 0);
        OrderStore orders = application.bean(OrderStore.class);
        orders.place("a", "tea");
        assertThat(orders.countOf("a")).isEqualTo(1);

        GroupExecutor executor = application.bean(GroupExecutor.class);
        assertThat(executor.groupStats("db-read").orElseThrow().totals().succeeded())
                .isEqualTo(1);
        assertThat(executor.groupStats("db-write").orElseThrow().totals().succeeded())
                .isEqualTo(1);
        int ofBoth = executor.groupStats("db-read")
                        .orElseThrow()
                        .maxConcurrency()
                        .value()
                + executor.groupStats("db-write").orElseThrow().maxConcurrency().value();
        HikariDataSource pool = application.bean(DataSource.class).unwrap(HikariDataSource.class);
        assertThat(ofBoth).isEqualTo(pool.getMaximumPoolSize());
    }

    @Test
    void theHowtoOnConnectionsSharesThePool() throws Exception {
        DocumentedApplication application = of("docs/howto/connections.md", 0);
        GroupExecutor connections = application.bean("connections", GroupExecutor.class);
        CurrentTenant.CURRENT_TENANT.set("gold-1");
        try (Connection open = application.bean(DataSource.class).getConnection()) {
            assertThat(open.isClosed()).isFalse();
            GroupStats gold = connections.groupStats("gold-1").orElseThrow();
            assertThat(gold.running()).isEqualTo(1);
            assertThat(gold.maxConcurrency().value()).isEqualTo(6);
            assertThat(gold.guaranteed().value()).isEqualTo(2);
        } finally {
            CurrentTenant.CURRENT_TENANT.remove();
        }
    }

    @Test
    void theHowtoOnPartnersLimitsEachOfThem() throws Exception {
        DocumentedApplication application = of("docs/howto/call-a-partner-api.md", 0);
        PartnerClient client = application.bean(PartnerClient.class);
        URI partner = application.address();
        assertThat(client.quote(partner, "tea")).isEqualTo("tea for 3");
        assertThat(client.quoteLater(partner, "tea"))
                .succeedsWithin(Deadline.LONG)
                .isEqualTo("tea for 3");

        GroupExecutor executor = application.bean(GroupExecutor.class);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        String quotes = partner.resolve("/quotes/tea").toString();
        assertThat(application
                        .bean(RestClient.class)
                        .get()
                        .uri(quotes)
                        .retrieve()
                        .body(String.class))
                .isEqualTo("tea for 3");
        assertThat(application
                        .bean(WebClient.class)
                        .get()
                        .uri(quotes)
                        .retrieve()
                        .bodyToMono(String.class)
                        .block(Deadline.LONG))
                .isEqualTo("tea for 3");
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(executor.groupStats("partner:localhost")
                        .orElseThrow()
                        .totals()
                        .succeeded())
                .isEqualTo(4);

        executor.setLimits("partner:localhost", GroupLimits.unset().withQueueThreshold(0));
        executor.pause("partner:localhost");
        assertThat(client.quote(partner, "tea")).isEqualTo("no quote at the moment");

        assertThat(executor.call("partner:slow.example", () -> "called")).isEqualTo("called");
        GroupStats slow = executor.groupStats("partner:slow.example").orElseThrow();
        assertThat(slow.maxConcurrency()).isEqualTo(new EffectiveLimit<>(2, LimitSource.CONFIGURED));
        assertThat(slow.queueThreshold()).isEqualTo(new EffectiveLimit<>(100, LimitSource.PATTERN));
    }

    @Test
    void theHowtoOnPartnersPausesAPartnerForAsLongAsItSays() throws Exception {
        DocumentedApplication application = of("docs/howto/call-a-partner-api.md", 2);
        GroupExecutor executor = application.bean(GroupExecutor.class);
        String prices = application.address().resolve("/prices").toString();

        assertThatExceptionOfType(HttpClientErrorException.TooManyRequests.class)
                .isThrownBy(() -> application
                        .bean(RestClient.class)
                        .get()
                        .uri(prices)
                        .retrieve()
                        .body(String.class));
        assertThat(executor.groupStats("partner:localhost").orElseThrow().pauseEndsIn())
                .hasValueSatisfying(
                        left -> assertThat(left).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(120)));

        // it would have to wait for longer than its time-out
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> application
                        .bean(WebClient.class)
                        .get()
                        .uri(prices)
                        .retrieve()
                        .bodyToMono(String.class)
                        .block(Deadline.LONG))
                .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.RATE_LIMITED));
        executor.resume("partner:localhost");
    }

    @Test
    void theHowtoOnPartnersGivesAnAccountOfAllTenantsAnExecutorOfItsOwn() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withUserConfiguration(GeocoderExecutor.class)
                .run(context -> {
                    GroupExecutor geocoder = context.getBean("geocoder", GroupExecutor.class);
                    assertThat(geocoder.call("tenant:a", () -> "found")).isEqualTo("found");
                    assertThat(geocoder.stats().globalRate()).hasToString("60 in PT1M, 1 at once");
                    assertThat(context.getBean(GroupExecutor.class).stats().globalRate())
                            .isEqualTo(Rate.UNLIMITED);
                });
    }

    @Test
    @Tag("RA7")
    void theHowtoOnLanguageModelsChargesWhatTheyHaveUsed() throws Exception {
        DocumentedApplication application = of("docs/howto/call-a-language-model.md", 0);
        URI model = application.address().resolve("/completions");

        assertThat(application.bean(LanguageModel.class).ask("a", model, "What do you get if you multiply?"))
                .isEqualTo("42");

        GroupStats group =
                application.bean(GroupExecutor.class).groupStats("llm:a").orElseThrow();
        assertThat(group.rateStats()).extracting(stats -> stats.rate().name()).containsExactly("requests", "tokens");
        assertThat(group.rateStats().getLast().used()).isEqualTo(12_000);
    }

    /** As an application finds them, where a bean's name is that of its class. */
    @ParameterizedTest
    @ValueSource(classes = {ClientKeys.class, ClientKeysOfExchanges.class})
    void theKeysOfTheHowtoOnTheWebAreFoundByAComponentScan(Class<?> keys) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.setAllowBeanDefinitionOverriding(false);
            ClassPathBeanDefinitionScanner scanner = new ClassPathBeanDefinitionScanner(context, false);
            scanner.addIncludeFilter(new AssignableTypeFilter(keys));
            scanner.scan(keys.getPackageName());
            context.refresh();

            assertThat(context.getBeansOfType(keys)).hasSize(1);
            assertThat(context.getBeanNamesForType(RequestGroupKey.class).length
                            + context.getBeanNamesForType(ExchangeGroupKey.class).length)
                    .isEqualTo(1);
        }
    }

    @Test
    void theRulesOfTheHowtoOnTheWebLimitRequests() throws Exception {
        DocumentedApplication application = of("docs/howto/web.md", 1);
        GroupExecutor executor = application.bean(GroupExecutor.class);

        assertThat(application.get("/tenants/a/reports").statusCode()).isEqualTo(404);
        assertThat(application.get("/reports/of-nobody").statusCode()).isEqualTo(200);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();

        assertThat(executor.groupStats("tenant:a").orElseThrow().totals().submitted())
                .isEqualTo(1);
        assertThat(executor.groupStats("http:anonymous").orElseThrow().totals().submitted())
                .isEqualTo(1);
        assertThat(application.send("POST", "/partners/1", "").statusCode()).isEqualTo(400);
        assertThat(application.get("/partners/1").statusCode()).isEqualTo(404);
    }

    @Test
    void onAPortOfItsOwnTheEndpointIsNotPublic() throws Exception {
        DocumentedApplication application = of("docs/howto/expose-safely.md", 0);
        assertThat(application.get("/actuator/groupexecutor").statusCode()).isEqualTo(404);
        assertThat(application
                        .sendToManagement("GET", "/actuator/groupexecutor", "")
                        .statusCode())
                .isEqualTo(200);
        assertThat(application
                        .sendToManagement("POST", "/actuator/groupexecutor", "{\"group\": \"a\", \"weight\": 2}")
                        .statusCode())
                .isEqualTo(405);
    }

    @Test
    void whatIsPermittedAtMostClosesTheEndpointForWriting() throws Exception {
        DocumentedApplication application = of("docs/howto/expose-safely.md", 1);
        assertThat(application.get("/actuator/groupexecutor").statusCode()).isEqualTo(200);
        assertThat(application
                        .send("POST", "/actuator/groupexecutor", "{\"group\": \"a\", \"weight\": 2}")
                        .statusCode())
                .isEqualTo(405);
    }

    @Test
    void whatReplacesABulkheadGivesTheSameReport() throws Exception {
        DocumentedApplication application = of("docs/howto/migrate-from-bulkhead.md", 0);
        assertThat(application.bean(TenantReports.class).build("a")).isEqualTo(new BulkheadReports().build("a"));

        GroupStats group =
                application.bean(GroupExecutor.class).groupStats("tenant:a").orElseThrow();
        assertThat(group.maxConcurrency().value()).isEqualTo(4);
        assertThat(group.queueTimeout().value()).isEqualTo(Duration.ofSeconds(5));

        BulkheadConfig defaults = BulkheadConfig.ofDefaults();
        assertThat(defaults.getMaxConcurrentCalls()).isEqualTo(25);
        assertThat(defaults.getMaxWaitDuration()).isZero();
    }
}
