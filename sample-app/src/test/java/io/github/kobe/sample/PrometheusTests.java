package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.spring.rollout.RolloutsCustomizer;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;

/**
 * What the board, the alerts and the page on operating ask for, asked of a real Prometheus that has scraped the sample
 * under load: some work runs, some waits, some is turned away, a group is paused, a scope runs out of time, a rollout stands
 * still and fails.
 */
@Tag("deep")
class PrometheusTests {

    private static final Path RULES = Markdown.repository().resolve("docs/grafana/alerts.yml");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), (\\w+)\\)");
    private static final String ENDPOINT = "/actuator/groupexecutor";
    private static final String SUBMITTED = "sum(group_executor_submitted_tasks_total{executor='groupExecutor'})";
    private static final String SUCCEEDED =
            "sum(group_executor_completed_tasks_total{executor='groupExecutor',outcome='success'})";

    /** The alerts that a rollout leads to that stands still, and one of whose tenants fails. */
    private static final List<String> OF_ROLLOUTS = List.of("RolloutStandsStill", "RolloutFailed");

    /** The alerts that are pending while one group has too much to do, and another is paused. */
    private static final List<String> OF_ONE =
            List.of("GroupQueueNearlyFull", "GroupRejectsWork", "GroupPausedForLong", "GroupStandsStill");

    /** The alerts that are pending while everything is in flight that may be. */
    private static final List<String> OF_ALL = List.of("GroupsExhausted", "OneGroupTakesAll");

    private static final String BELOW_GUARANTEE = "GroupBelowGuarantee";

    private static final List<String> PICTURED = List.of(
            "In flight, and the limit over all groups",
            "Queued, the ten longest",
            "Oldest wait",
            "Wait, p95 and p99",
            "Saturation",
            "Rejections per second, by reason");

    /** Of rates: long enough to hold both a request and its rejection, which comes three seconds later. */
    private static final String WINDOW = "15s";

    /** Where the tenants of a rollout stand until they may go on. */
    private static final Gate PREPARED = new Gate();

    private static RunningSample sample;
    private static Prometheus prometheus;
    private static long loadedFrom;

    // ---- the load

    @BeforeAll
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    static void load() throws IOException, InterruptedException {
        sample = RunningSample.startWith(
                PrometheusTests::addStages,
                "sample.credit.deadline=8s",
                "group-concurrency.groups[tenant:acme].max-concurrency=1",
                "group-concurrency.groups[tenant:acme].queue-threshold=10",
                "group-concurrency.groups[tenant:hooli].queue-timeout=3s",
                "group-concurrency.groups[tenant:initech].max-concurrency=1",
                "group-concurrency.groups[tenant:initech].guaranteed=1");
        useEachRule();
        prometheus = Prometheus.scraping(sample.port(), RULES);
        prometheus.await("up == 1");
        loadedFrom = Instant.now().getEpochSecond();

        changeTenants();
        floodOne();
        fillAll();
        workOff();
    }

    /** A rule has meters from its first use on, and what a counter began with is no growth to Prometheus. */
    private static void useEachRule() {
        GroupExecutor executor = sample.bean(GroupExecutor.class);
        for (String key : List.of(
                "tenant:acme",
                "tenant:hooli",
                "tenant:initech",
                "tenant:vip-first",
                "tenant:first",
                "db-read",
                "other")) {
            executor.submit(key, "first", () -> "used").join();
        }
    }

    private static void addStages(GenericApplicationContext context) {
        Stage prepare = Stage.named("Prepare").step(change -> PREPARED.pass());
        Stage change = Stage.named("Change").step(of -> {
            if (of.tenantId().equals(TenantId.of("badly"))) {
                throw new IllegalStateException("not this one");
            }
        });
        context.registerBean(
                "oftenTold",
                RolloutsCustomizer.class,
                () -> rollouts -> rollouts.progressInterval(Duration.ofMillis(100)));
        context.registerBean("prepare", Stage.class, () -> prepare);
        context.registerBean("change", Stage.class, () -> change);
    }

    /** Of a rollout's tenants one goes well and is rolled back, one fails, and one is paused and then cancelled. */
    private static void changeTenants() throws InterruptedException {
        Rollouts rollouts = sample.bean(Rollouts.class);
        RolloutPlan.Builder plan = RolloutPlan.named("plan-1");
        for (String tenant : List.of("well", "badly", "slowly")) {
            plan.add(TenantChange.of(tenant, DeployUnit.of(7, 42, "green"), "{}")
                    .previous(DeployUnit.of(7, 41, "blue"), "{}"));
        }
        PlanId planId = rollouts.start(plan.build()).planId();
        PREPARED.awaitArrived(3);
        prometheus.await("rollout_task_active == 3 and rollout_heartbeat_lag_stages > 0");
        prometheus.await("ALERTS{alertname='RolloutStandsStill'}");

        TenantId slowly = TenantId.of("slowly");
        assertThat(rollouts.pause(slowly).success()).isTrue();
        PREPARED.open();
        awaitStatus("PAUSED", slowly);
        assertThat(rollouts.cancel(slowly).success()).isTrue();
        TenantId well = TenantId.of("well");
        awaitStatus("COMPLETED", well);
        assertThat(rollouts.rollback(well).success()).isTrue();
        awaitStatus("ROLLED_BACK", well);
        rollouts.await(planId, Deadline.LONG);
        prometheus.await("ALERTS{alertname='RolloutFailed'}");
    }

    private static void awaitStatus(String status, TenantId tenant) {
        Rollouts rollouts = sample.bean(Rollouts.class);
        Deadline.until(
                () -> tenant + " is " + status + ", but " + rollouts.task(tenant),
                () -> rollouts.task(tenant).status().name().equals(status));
    }

    /** One tenant floods, another is paused, a report of a third runs out of time. */
    private static void floodOne() {
        pauseOrResume("pause");
        CompletableFuture<Reply> paused = sample.sendPost("/tenants/hooli/reports");
        CompletableFuture<Reply> late = sample.sendGet("/tenants/vip-globex/credit");
        sample.sendReports(11, "acme");
        sample.awaitQueued("tenant:acme", 10);
        rejectFour();
        prometheus.await("group_scope_active_scopes{scope='credit report'} == 1");
        rejectFour(); // now seen to grow: counters that came with the first ones began above zero
        for (String alert : OF_ONE) {
            prometheus.await("ALERTS{alertname='" + alert + "'}");
        }
        assertThat(late.join().status()).isEqualTo(504);
        assertThat(paused.join().status()).isEqualTo(429);
        pauseOrResume("resume");
    }

    private static void rejectFour() {
        for (CompletableFuture<Reply> rejected : sample.sendReports(4, "acme")) {
            assertThat(rejected.join().status()).isEqualTo(429);
        }
    }

    private static void pauseOrResume(String action) {
        String change = "{\"group\": \"tenant:hooli\", \"action\": \"" + action + "\"}";
        assertThat(sample.post(ENDPOINT, change).status()).isEqualTo(200);
    }

    /** All that may be in flight is, nearly all of it of VIPs; then one waits that has less than it is guaranteed. */
    private static void fillAll() {
        sample.sendReports(4, "vip-globex");
        sample.sendReports(4, "vip-umbrella");
        sample.sendReports(2, sample.newTenant("vip-"));
        for (String alert : OF_ALL) {
            prometheus.await("ALERTS{alertname='" + alert + "'}");
        }
        sample.sendReports(1, "initech");
        prometheus.await("ALERTS{alertname='" + BELOW_GUARANTEE + "'}");
    }

    private static void workOff() throws InterruptedException {
        sample.partner().open(30);
        do {
            List<CompletableFuture<Reply>> replies = new ArrayList<>(sample.sendReports(8, "acme"));
            replies.addAll(sample.sendReports(2, "initech"));
            replies.addAll(sample.sendReports(8, "vip-globex"));
            replies.add(sample.sendGet("/tenants/vip-umbrella/credit"));
            replies.forEach(CompletableFuture::join);
        } while (prometheus.now(SUBMITTED + " > 300").isEmpty());
        sample.settle();
        JsonNode totals = totals();
        prometheus.await(SUBMITTED + " == " + totals.get("submitted").doubleValue());
        prometheus.await(SUCCEEDED + " == " + totals.get("succeeded").doubleValue());
    }

    private static JsonNode totals() {
        return sample.get(ENDPOINT).json().get("totals");
    }

    @AfterAll
    static void stop() throws IOException, InterruptedException {
        if (prometheus != null) {
            prometheus.close();
        }
        sample.close();
    }

    // ---- the board

    @Test
    void everyQueryOfTheBoardShowsWhatTheLoadHasMade() {
        String chosen = "(tenant:\\\\*|tenant:acme|tenant:hooli|tenant:initech|tenant:vip-\\\\*|db-read)";
        for (String groups : List.of(".*", chosen)) {
            for (Board.Query query : Board.read().queries()) {
                assertShows(query.panel(), query.with(variables(groups)));
            }
        }
    }

    /** {@return the board's variables, with these groups and all of the rest} */
    private static Map<String, String> variables(String groups) {
        Map<String, String> variables = new HashMap<>();
        Board.read().variables().keySet().forEach(name -> variables.put(name, ".*"));
        variables.put("group", groups);
        variables.put("__rate_interval", WINDOW);
        variables.put("__range", "1m");
        return variables;
    }

    /** Writes the picture that the page shows, from another run. */
    @Test
    void thePanelsOfThePageCanBeDrawn() throws IOException {
        Board board = Board.read();
        BoardPicture picture = new BoardPicture(loadedFrom, Instant.now().getEpochSecond());
        for (String panel : PICTURED) {
            List<BoardPicture.Line> lines = new ArrayList<>();
            for (Board.Query query : board.queries(panel)) {
                for (Prometheus.Series series : prometheus.sinceStart(query.with(variables(".*")))) {
                    lines.add(new BoardPicture.Line(query.name(series.labels()), series));
                }
            }
            assertThat(lines).as(panel).isNotEmpty();
            picture.add(panel, lines);
        }
        Files.writeString(Path.of("target", "board.svg"), picture.svg());
    }

    /** Each is a valid one, and gave something at some time: more than zero, unless it is zero that they look for. */
    private static void assertShows(String where, String expression) {
        double least = expression.contains("== 0") ? 0 : Double.MIN_VALUE;
        List<Double> values = prometheus.sinceStart(expression).stream()
                .flatMap(series -> series.values().values().stream())
                .filter(value -> value >= least && Double.isFinite(value))
                .toList();
        assertThat(values).as(where + ": " + expression).isNotEmpty();
    }

    @Test
    void theVariablesOfTheBoardHaveTheirValues() {
        Map<String, List<String>> found = new HashMap<>();
        Board.read().variables().forEach((name, query) -> {
            MatchResult parts =
                    LABEL_VALUES.matcher(query).results().findFirst().orElseThrow();
            String selector = parts.group(1).replaceAll("\\$\\w+", ".*");
            found.put(name, prometheus.labelValues(parts.group(2), selector));
        });

        assertThat(found.get("application")).containsExactly("reports");
        assertThat(found.get("instance")).containsExactly("127.0.0.1:" + sample.port());
        assertThat(found.get("executor")).containsExactly("connections", "groupExecutor", "vat");
        assertThat(found.get("group")).contains("tenant:*", "tenant:acme", "db-read", "_default");
    }

    // ---- the page

    @Test
    void everyQueryOfThePageShowsWhatTheLoadHasMade() {
        List<String> queries = Markdown.page("docs/howto/operating.md").blocks("promql");
        assertThat(queries).hasSizeGreaterThan(5);
        for (String query : queries) {
            assertShows("docs/howto/operating.md", query.replace("[5m]", "[" + WINDOW + "]"));
        }
    }

    @Test
    void theSettingsOfThePageAreThoseOfAPrometheus(@TempDir Path folder) throws IOException, InterruptedException {
        List<String> blocks = Markdown.page("docs/howto/operating.md").blocks("yaml prometheus");
        Path settings = Files.writeString(folder.resolve("prometheus.yml"), String.join("\n", blocks));
        Files.copy(RULES, folder.resolve("alerts.yml"));

        assertThat(promtool("check", "config", settings.toString())).contains("1 rule files found");
    }

    private static String promtool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        return ChildProcess.of(command).succeed(Deadline.LONG);
    }

    // ---- the alerts

    @Test
    void everyAlertCanBeEvaluatedAndThoseThatTheLoadIsForWereOn() {
        Map<String, String> rules = prometheus.rules();
        List<String> on = prometheus.sinceStart("count by (alertname) (ALERTS)").stream()
                .map(series -> series.labels().get("alertname"))
                .toList();

        assertThat(rules)
                .isNotEmpty()
                .allSatisfy((name, error) -> assertThat(error).as(name).isEmpty());
        assertThat(rules.keySet()).containsAll(on);
        assertThat(on)
                .containsExactlyInAnyOrderElementsOf(Stream.of(OF_ROLLOUTS, OF_ONE, OF_ALL, List.of(BELOW_GUARANTEE))
                        .flatMap(List::stream)
                        .toList());
    }

    @Test
    void everyAlertFiresWhereItShouldAndNowhereElse() throws IOException, InterruptedException {
        promtool("test", "rules", RULES.resolveSibling("alerts-test.yml").toString());
    }

    // ---- the numbers

    @Test
    void theNumbersAreThoseOfTheEndpoint() {
        JsonNode totals = totals();
        Map<String, Double> expected = new HashMap<>();
        expected.put(
                "group_executor_submitted_tasks_total{executor='groupExecutor'}",
                totals.get("submitted").doubleValue());
        expected.put(
                "group_executor_completed_tasks_total{executor='groupExecutor',outcome='success'}",
                totals.get("succeeded").doubleValue());
        totals.get("rejected")
                .forEachEntry((reason, number) -> expected.put(
                        "group_executor_rejected_tasks_total{executor='groupExecutor',reason='"
                                + reason.toLowerCase(Locale.ROOT) + "'}",
                        number.doubleValue()));

        expected.forEach((counter, total) -> {
            assertThat(prometheus.now("sum(" + counter + ")")).as(counter).containsExactly(total);
            assertThat(prometheus.now("sum(increase(" + counter + "[2m]))"))
                    .as(counter)
                    .singleElement()
                    .satisfies(grown -> assertThat(grown).isCloseTo(total, Percentage.withPercentage(20)));
        });
    }
}
