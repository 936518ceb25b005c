package io.github.kobe.spring.docs;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.github.kobe.GroupLimits;
import io.github.kobe.TaskHandle;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.TaskCreationException;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.scope.Scopes;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The live page in a browser, behind the security that the howto shows, with 10,000 groups under load. */
@Tag("secured")
class LivePageTests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PAGE = "/group-concurrency/";

    /** What the page asks the endpoint. */
    private static final String ANSWERS = "**/actuator/groupexecutor?**";

    /** What is said to have been refused in the last minute. */
    private static final String REFUSED = "main .failure:not(:empty)";

    private static final Path OUTPUT = Path.of("target", "live-page");

    private static LivePageApplication application;
    private static Browser browser;
    private static Page pictured;

    private final List<Page> pages = new ArrayList<>();

    @BeforeAll
    static void start() throws InterruptedException {
        PlaywrightAssertions.setDefaultAssertionTimeout(Deadline.SECONDS * 1_000.0);
        application = new LivePageApplication();
        browser = new Browser();
        application.putUnderLoad();
        pictured = browser.open(application.address() + PAGE);
    }

    /** The pictures are of a page that has been open all the time, so that its charts have something to show. */
    @AfterAll
    static void stop() {
        picture("live-page-light.png");
        pictured.getByLabel("Colours").selectOption("dark");
        picture("live-page-dark.png");
        pictured.getByLabel("Colours").selectOption("light");
        pictured.getByLabel("Language").selectOption("zh");
        assertThat(pictured.locator("h1")).hasText("分组并发");
        picture("live-page-light.zh-CN.png");
        browser.close();
        application.close();
    }

    private static void picture(String name) {
        assertThat(rows(pictured)).hasCount(50);
        pictured.screenshot(new Page.ScreenshotOptions().setPath(OUTPUT.resolve(name)));
    }

    @AfterEach
    void close() {
        pages.forEach(page -> {
            page.unrouteAll(); // what it asks meanwhile can't be answered any more
            page.context().close();
        });
        browser.assertNoComplaints();
    }

    private Page open(String view) {
        return kept(browser.open(application.address() + PAGE + view));
    }

    private Page open(String user, String language, ColorScheme colours) {
        return kept(browser.open(user, language, colours, application.address() + PAGE));
    }

    private Page kept(Page page) {
        pages.add(page);
        return page;
    }

    private static Locator rows(Page page) {
        return page.locator(".groups tbody tr");
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static JsonNode ask(String query) throws IOException, InterruptedException {
        String credentials = Base64.getEncoder().encodeToString("ops:secret".getBytes(StandardCharsets.UTF_8));
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(application.address() + "/actuator/groupexecutor" + query))
                .header("Authorization", "Basic " + credentials)
                .build();
        return JSON.readTree(
                client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    /** Has the page get another answer than that of the server. */
    private static void answer(Route route, UnaryOperator<String> change) {
        answer(route, route.request().url(), change);
    }

    private static void answer(Route route, String address, UnaryOperator<String> change) {
        APIResponse answer = route.fetch(new Route.FetchOptions().setUrl(address));
        route.fulfill(new Route.FulfillOptions().setResponse(answer).setBody(change.apply(answer.text())));
    }

    private static String withRefused(String answer, int number) {
        return answer.replaceAll("\"rejected\":\\{[^}]*}", "\"rejected\":{\"GROUP_QUEUE_FULL\":" + number + "}");
    }

    @Test
    void groupsAreShownByLoadAsTheEndpointTellsThem() throws Exception {
        Page page = open("");
        assertThat(rows(page)).hasCount(50);
        JsonNode all = ask("?limit=50");

        List<String> keys = new ArrayList<>();
        all.path("groups").fieldNames().forEachRemaining(keys::add);
        assertThat(page.locator(".groups tbody th a").allTextContents()).isEqualTo(keys);
        int shown = 0;
        for (String key : keys) {
            JsonNode group = all.path("groups").path(key);
            JsonNode limits = group.path("limits");
            List<String> cells = rows(page).nth(shown++).locator("td").allInnerTexts();
            assertThat(cells.get(0).lines())
                    .containsExactly(
                            group.path("running").asInt() + " / "
                                    + limits.at("/maxConcurrency/value").asInt(),
                            source(limits.at("/maxConcurrency/source").asText()));
            assertThat(cells.get(1).lines().findFirst())
                    .hasValue(group.path("inFlight").asInt() + " / "
                            + limits.at("/maxInFlight/value").asInt());
            assertThat(cells.get(2).lines().findFirst())
                    .hasValue(group.path("queued").asInt()
                            + (limits.at("/queueThreshold/value").asInt() == 2 ? " / 2" : " / 1,000"));
            assertThat(cells.get(4).lines().findFirst())
                    .hasValue(String.valueOf(
                            group.at("/totals/rejected/GROUP_QUEUE_FULL").asInt()));
        }
        assertThat(page.getByText(Pattern.compile("1–50 of 10,\\d{3}"))).isVisible();
        assertThat(page.locator(".tiles")).containsText(Pattern.compile("/ 400"));
        assertThat(page.locator(".groups tbody .spark canvas")).hasCount(50);
    }

    private static String source(String constant) {
        return constant.equals("OVERRIDDEN") ? "set by hand" : constant.toLowerCase(Locale.ROOT);
    }

    @Test
    void aChangeIsShownWithinTwoSeconds() {
        Page page = open("");
        String group = "tenant:busy-00";
        Locator queued = rows(page).first().locator("td").nth(2).locator("span");
        assertThat(queued).hasText(Pattern.compile("\\d+ / 1,000"));
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            application.occupy(group, 1);
            long changed = System.nanoTime();
            int now = application.executor().groupStats(group).orElseThrow().queued();
            assertThat(queued).hasText(now + " / 1,000");
            waits.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - changed));
        }
        assertThat(waits).anyMatch(wait -> wait < 2_000);
    }

    @Test
    void theInstanceThatAnswersIsNamedAndAnotherOneIsWarnedOf() {
        Page page = open("#/groups");
        assertThat(page.locator("#updated")).containsText("by ");
        assertThat(page.locator("#updated"))
                .containsText("/" + ProcessHandle.current().pid());
        assertThat(page.locator("#instances")).isHidden();

        page.route(
                ANSWERS,
                route -> answer(
                        route, text -> text.replaceFirst("\"instance\":\"[^\"]*\"", "\"instance\":\"other-pod/1\"")));

        assertThat(page.locator("#instances")).containsText("then other-pod/1");
        assertThat(page.locator("#updated")).containsText("by other-pod/1");
    }

    @Test
    void groupsWhoseKeysAreNumbersKeepTheirOrder() {
        application.executor().setLimits("98760001", GroupLimits.unset().withQueueThreshold(1));
        application.occupy("98760001", 3);
        application.occupy("98760009", 5);
        Page page = open("");

        page.getByLabel("Search keys").fill("9876000");
        Locator keys = page.locator(".groups tbody th a");
        assertThat(keys).hasText(new String[] {"98760009", "98760001"});
        button(page, "Most refused first").click();
        assertThat(keys).hasText(new String[] {"98760001", "98760009"});
    }

    @Test
    void whatWasRefusedWhileThePageStoodStillIsNotOfTheLastMinute() {
        AtomicInteger refused = new AtomicInteger();
        Page page = open("");
        page.clock().install();
        page.route(ANSWERS, route -> answer(route, text -> withRefused(text, refused.get())));
        page.reload();
        assertThat(rows(page)).hasCount(50);

        button(page, "Freeze").click();
        refused.set(4_711);
        page.clock().fastForward("10:00");
        button(page, "Freeze").click();

        assertThat(page.locator(".tiles")).containsText("queue full 4,711");
        assertThat(page.locator(REFUSED)).hasCount(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"#/groups", "#/group/tenant:busy-08"})
    void whatAnotherExecutorAnswersLateIsNotShown(String view) {
        List<Route> late = new ArrayList<>();
        AtomicBoolean isLate = new AtomicBoolean();
        Page page = open(view);
        page.route(
                "**/settings.json",
                route -> answer(route, text -> text.replace("\"groupExecutor\"", "\"groupExecutor\",\"other\"")));
        page.route(ANSWERS, route -> {
            String address = route.request().url();
            if (address.contains("executor=other")) {
                answer(
                        route,
                        address.replace("executor=other", "executor=groupExecutor"),
                        text -> withRefused(text, 4_711));
            } else if (isLate.get()) {
                late.add(route);
            } else {
                answer(route, text -> withRefused(text, 0));
            }
        });
        page.reload();
        assertThat(page.locator("#updated")).containsText("by ");

        isLate.set(true);
        page.waitForCondition(() -> !late.isEmpty());
        page.getByLabel("Executor").selectOption("other");
        late.forEach(route -> answer(route, text -> withRefused(text, 0)));

        assertThat(page.locator(".tiles")).containsText("queue full 4,711");
        assertThat(page.locator(REFUSED)).hasCount(0);
    }

    @Test
    void groupsAreFoundAndTurnedPageByPage() {
        Page page = open("");
        assertThat(rows(page)).hasCount(50);

        button(page, "Next").click();
        assertThat(page.getByText(Pattern.compile("51–100 of 10,\\d{3}"))).isVisible();
        page.getByLabel("Search keys").fill("BUSY-0");
        assertThat(page.getByText("1–10 of 10")).isVisible();
        assertThat(rows(page)).hasCount(10);
        assertThat(button(page, "Next")).isDisabled();
        page.getByLabel("Search keys").fill("nobody");
        assertThat(page.getByText("No group", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        page.getByLabel("Search keys").fill("09999");
        assertThat(rows(page)).hasCount(1);
    }

    @Test
    void groupsThatRefuseAreShownAsThatAndFirstIfAskedFor() {
        Page page = open("");
        button(page, "Most refused first").click();

        assertThat(button(page, "Most refused first")).hasAttribute("aria-pressed", "true");
        assertThat(rows(page).first().locator("th a")).hasText("partner:acme");
        assertThat(rows(page).first().locator(".failure")).containsText("refused in the last minute");
        assertThat(page.locator(".tiles .failure")).hasCount(1);
        rows(page).first().locator("th a").click();
        assertThat(page.locator("main p.failure")).containsText("refused in the last minute");
    }

    @Test
    void aTelephoneShowsWhatRunsAndWaitsAndForHowLongAndWhatWasRefused() {
        Page page = open("");
        page.setViewportSize(390, 844);
        assertThat(rows(page)).hasCount(50);

        assertThat(page.locator(".groups thead th:visible"))
                .hasText(new String[] {"Group", "Running", "Queued", "Oldest wait / time\u2011out", "Rejected"});
        assertThat(page.locator(".wide").evaluate("table => table.scrollWidth - table.clientWidth"))
                .isEqualTo(0);
        assertThat(page.evaluate("() => document.documentElement.scrollWidth")).isEqualTo(390);
    }

    @Test
    void oneGroupIsShownWithWhoHasItsPermitsAndWhoWaits() throws Exception {
        Page page = open("");
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("tenant:busy-01"))
                .click();

        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName("tenant:busy-01")))
                .isFocused();
        assertThat(page.getByText("Rule: tenant:*")).isVisible();
        JsonNode group = ask("?group=tenant:busy-01&holders=true");
        assertThat(table(page, "Who has the permits"))
                .hasCount(group.path("holders").size());
        assertThat(table(page, "Who has waited longest"))
                .hasCount(group.path("waiters").size());
        assertThat(table(page, "Limits").first()).containsText("pattern tenant:*");
        assertThat(page.locator("main .plot canvas")).hasCount(3);
    }

    @Test
    void aGroupSaysWhyItWaitsAndShowsWhatItHoldsBesideItsGuarantee() {
        String group = "tenant:busy-05";
        application.executor().setLimits(group, GroupLimits.unset().withGuaranteed(2));
        try {
            Page list = open("");
            Locator row = rows(list).filter(new Locator.FilterOptions().setHasText(group));
            assertThat(row.locator(".state")).hasText("waits for its own limit · set by hand");
            assertThat(row.locator(".gauge"))
                    .hasAttribute("aria-label", Pattern.compile("Holds 4 permits; 2 guaranteed"));
            assertThat(row.locator(".gauge .mark")).isVisible();
            assertThat(row.locator(".gauge .mark")).hasAttribute("style", "left: 50%;");
            Page one = open("#/group/" + URLEncoder.encode(group, StandardCharsets.UTF_8));
            assertThat(one.locator(".state")).containsText("waits for its own limit");
            assertThat(one.locator(".tiles .gauge .mark")).isVisible();
        } finally {
            application.executor().resetLimits(group);
        }
    }

    private static Locator table(Page page, String caption) {
        return page.getByRole(AriaRole.TABLE, new Page.GetByRoleOptions().setName(caption))
                .locator("tbody tr");
    }

    /** By keys alone: what has the focus is where a person is. */
    @Test
    void aGroupIsPausedByKeysAndOnlyAfterAQuestion() {
        String group = "tenant:busy-05";
        Page page = open("#/group/" + group);
        Locator pause = button(page, "Pause");
        assertThat(pause).isVisible();
        tabTo(page, pause);

        page.keyboard().press("Enter");
        Locator question = page.getByRole(AriaRole.DIALOG);
        assertThat(question).containsText("Pause tenant:busy-05?");
        assertThat(button(page, "No")).isFocused();
        page.keyboard().press("Escape");
        assertThat(question).isHidden();
        assertThat(pause).isFocused();
        assertThat(application.executor().groupStats(group).orElseThrow().paused())
                .isFalse();

        page.keyboard().press("Enter");
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        assertThat(page.getByRole(AriaRole.STATUS).getByText("tenant:busy-05 is paused."))
                .isVisible();
        assertThat(application.executor().groupStats(group).orElseThrow().paused())
                .isTrue();
        tabTo(page, button(page, "Resume"));
        page.keyboard().press("Enter");
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        assertThat(button(page, "Pause")).isVisible();
        assertThat(application.executor().groupStats(group).orElseThrow().paused())
                .isFalse();
    }

    /** A browser tells of a dialog that it has closed with the next frame, by when the next one may be open. */
    @Test
    void aQuestionAskedRightAfterAnotherHasItsOwnAnswer() {
        String group = "tenant:busy-07";
        Page page = open("#/group/" + group);
        Locator pause = button(page, "Pause");
        assertThat(pause).isVisible();

        pause.evaluate("pause => { pause.click(); document.querySelector('#question-no').click(); pause.click(); }");
        page.evaluate("() => new Promise(requestAnimationFrame)");
        page.getByRole(AriaRole.DIALOG).getByText("Pause").last().click();

        assertThat(page.getByRole(AriaRole.STATUS).getByText(group + " is paused."))
                .isVisible();
        application.executor().resume(group);
    }

    private static void tabTo(Page page, Locator wanted) {
        for (int i = 0; i < 40; i++) {
            if (Boolean.TRUE.equals(wanted.evaluate("element => element === document.activeElement"))) {
                return;
            }
            page.keyboard().press("Tab");
        }
        assertThat(wanted).isFocused();
    }

    @Test
    void limitsAreSetAndResetAndWhatIsRefusedIsTold() {
        String group = "tenant:busy-06";
        Page page = open("#/group/" + group);
        page.getByLabel("Running at most").fill("0");
        button(page, "Set limits").click();
        page.getByRole(AriaRole.DIALOG).getByText("Set limits").last().click();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("maxConcurrency must be at least 1");

        page.getByLabel("Running at most").fill("7");
        page.getByLabel("Waits at most").fill("90s");
        page.getByLabel("Rate", new Page.GetByLabelOptions().setExact(true)).fill("600 per 1m");
        button(page, "Set limits").click();
        assertThat(page.getByRole(AriaRole.DIALOG))
                .containsText("Running at most: 7, Waits at most: 90s, Rate: 600 per 1m");
        page.getByRole(AriaRole.DIALOG).getByText("Set limits").last().click();
        assertThat(table(page, "Limits").first()).containsText("7set by hand");
        assertThat(table(page, "Limits").last()).containsText("600 per 1m burst 60set by hand");
        assertThat(application
                        .executor()
                        .groupStats(group)
                        .orElseThrow()
                        .maxConcurrency()
                        .value())
                .isEqualTo(7);

        button(page, "Reset limits").click();
        page.getByRole(AriaRole.DIALOG).getByText("Reset limits").last().click();
        assertThat(table(page, "Limits").first()).containsText("4pattern tenant:*");
        assertThat(table(page, "Limits").last()).containsText("–default");
    }

    @Test
    void aChangeThatLeavesNoGroupIsToldAsDone() {
        Page page = open("#/group/tenant:busy-09");
        page.route("**/actuator/groupexecutor", route -> route.fulfill(new Route.FulfillOptions().setStatus(204)));

        button(page, "Reset limits").click();
        page.getByRole(AriaRole.DIALOG).getByText("Reset limits").last().click();

        assertThat(page.getByRole(AriaRole.STATUS).getByText("The limits of tenant:busy-09 are reset."))
                .isVisible();
    }

    @Test
    void openScopesAreShownAsTrees() throws Exception {
        Gate gate = new Gate();
        Scopes scopes = Scopes.of(application.executor());
        TaskHandle<Object> owner = application.executor().submit("scoped:owner", () -> {
            try (var outer = scopes.open(settings -> settings.withName("page"))) {
                outer.fork("scoped:outer", () -> {
                    try (var inner = scopes.open(settings -> settings.withName("prices"))) {
                        inner.fork("scoped:inner", () -> {
                            gate.pass();
                            return "done";
                        });
                        inner.join();
                    }
                    return "done";
                });
                outer.join();
            }
            return null;
        });
        try {
            Page page = open("#/scopes");
            Locator tree = page.locator(".tree > li");
            assertThat(tree).hasCount(1);
            assertThat(tree).containsText("page");
            assertThat(tree.locator("li li").first()).containsText("prices");
            assertThat(tree).containsText("scoped:inner");
            Browser.assertAccessible(page);
        } finally {
            gate.open();
            owner.await(Deadline.SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void rolloutsAreShownWithTheirStagesAndHowFarTheyAre() throws Exception {
        Rollouts rollouts = application.bean(Rollouts.class);
        rollouts.start(RolloutPlan.named("plan-live")
                .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{\"version\": 42}"))
                .add(TenantChange.of("hooli", DeployUnit.of(7, 42, "blue"), "{\"version\": 42}"))
                .maxConcurrency(1)
                .build());
        Page page = open("#/rollouts");
        Locator plan = page.locator(".plan").filter(new Locator.FilterOptions().setHasText("plan-live"));
        assertThat(plan).containsText("0 of 2 done");
        plan.locator("summary").click();
        Locator acme = plan.locator("tbody tr").first();
        assertThat(acme).containsText("1 / 2");
        assertThat(acme).containsText("Migrate");
        Browser.assertAccessible(page);

        application.bean(Gate.class).open();
        assertThat(plan).containsText("2 of 2 done");
        assertThat(plan.locator("summary")).containsText("completed");
        assertThat(acme).containsText("2 / 2");
    }

    @Test
    void aPlanThatHasPartlyFailedIsShownAsAFailure() throws Exception {
        Rollouts rollouts = application.bean(Rollouts.class);
        application.bean(Gate.class).open();
        rollouts.start(RolloutPlan.named("plan-partly")
                .add(TenantChange.of("umbrella", DeployUnit.of(7, 42, "blue"), "{}"))
                .add(TenantChange.of(LivePageApplication.FAILS, DeployUnit.of(7, 42, "blue"), "{}"))
                .build());
        Page page = open("#/rollouts");
        Locator plan = page.locator(".plan").filter(new Locator.FilterOptions().setHasText("plan-partly"));

        assertThat(plan.locator(".phase.failure").first()).hasText("partly failed");
        assertThat(plan.locator("summary")).containsText("1 failed");
        plan.locator("summary").click();
        assertThat(plan.locator("tbody .failure")).hasText("failed");
        Browser.assertAccessible(page);
    }

    @Test
    void ofALargePlanThoseThatHaveFailedAreShownFirst() throws Exception {
        Rollouts rollouts = application.bean(Rollouts.class);
        application.bean(Gate.class).open();
        RolloutPlan large = large("plan-large", change(LivePageApplication.FAILS));
        rollouts.await(rollouts.start(large).planId(), Deadline.LONG);
        Page page = open("#/rollouts");
        Locator plan = unfolded(page, "plan-large");

        assertThat(plan.locator("tbody tr")).hasCount(100);
        assertThat(plan.locator("tbody tr").first()).containsText(LivePageApplication.FAILS);
        assertThat(plan.locator("tbody .failure")).hasText("failed");
        assertThat(plan).containsText("There are more tenants than are shown.");
        Browser.assertAccessible(page);
    }

    @Test
    void ofALargePlanThatIsInvalidTheTenantThatIsWrongIsShownFirst() {
        RolloutPlan invalid = large("plan-invalid", change("wrong").maxRetry(-1));
        assertThatThrownBy(() -> application.bean(Rollouts.class).start(invalid))
                .isInstanceOf(TaskCreationException.class);

        Locator plan = unfolded(open("#/rollouts"), "plan-invalid");

        assertThat(plan.locator("tbody tr")).hasCount(100);
        assertThat(plan.locator("tbody tr").first()).containsText("wrong");
    }

    /** {@return a plan of more tenants than are shown} */
    private static RolloutPlan large(String name, TenantChange last) {
        RolloutPlan.Builder plan = RolloutPlan.named(name);
        IntStream.range(0, 100).forEach(index -> plan.add(change(name + "-" + index)));
        return plan.add(last).build();
    }

    private static TenantChange change(String tenant) {
        return TenantChange.of(tenant, DeployUnit.of(7, 42, "blue"), "{}");
    }

    private static Locator unfolded(Page page, String name) {
        Locator plan = page.locator(".plan").filter(new Locator.FilterOptions().setHasText(name));
        plan.locator("summary").click();
        return plan;
    }

    @ParameterizedTest
    @EnumSource(names = {"LIGHT", "DARK"})
    void itIsAccessible(ColorScheme colours) throws Exception {
        Page page = open("ops", "en-GB", colours);
        assertThat(rows(page)).hasCount(50);
        Browser.assertAccessible(page);
        page.navigate(application.address() + PAGE + "#/group/tenant:busy-02");
        assertThat(table(page, "Who has the permits").first()).isVisible();
        Browser.assertAccessible(page);
        button(page, "Pause").click();
        Browser.assertAccessible(page);
    }

    @Test
    void whoMayNotLookIsToldSo() {
        Page page = browser.open("user", "en-GB", ColorScheme.LIGHT, application.address() + PAGE);
        kept(page);
        assertThat(page.locator("body")).not().containsText("tenant:");
    }

    @Test
    void everyWordIsThereInChineseToo() {
        Page page = open("ops", "zh-CN", ColorScheme.LIGHT);
        assertThat(rows(page)).hasCount(50);
        assertThat(page.locator("html")).hasAttribute("lang", "zh-CN");
        assertThat(page.locator("h1")).hasText("分组并发");
        page.getByLabel("语言").selectOption("en");
        assertThat(page.locator("h1")).hasText("Group concurrency");
        page.reload();
        assertThat(page.locator("h1")).hasText("Group concurrency");
    }

    /** How much the threads that answer requests work for an answer, of which each open page wants two in three seconds. */
    @Test
    @Tag("long")
    void theCostOfAnOpenPageIsToldInAFile() throws IOException {
        Page page = open("");
        awaitAnswers(page, browser.answers() + 20);
        long answersBefore = browser.answers();
        long nanosBefore = nanosOfRequests();
        awaitAnswers(page, answersBefore + 40);
        double millis = (nanosOfRequests() - nanosBefore) / 1e6 / (browser.answers() - answersBefore);
        Files.writeString(
                OUTPUT.resolve("cost.txt"),
                String.format(
                        Locale.ROOT, "%.2f ms for each answer, with %,d groups%n", millis, LivePageApplication.GROUPS));
    }

    /** While it waits for one of a page, it hears of the others too. */
    private static void awaitAnswers(Page page, long count) {
        while (browser.answers() < count) {
            page.waitForResponse(response -> true, () -> {});
        }
    }

    private static long nanosOfRequests() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith("http-nio"))
                .mapToLong(thread -> threads.getThreadCpuTime(thread.getThreadId()))
                .sum();
    }
}
