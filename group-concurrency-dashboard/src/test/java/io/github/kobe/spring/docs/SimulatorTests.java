package io.github.kobe.spring.docs;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulator in a browser that opens it from its folder, and its rule beside the engine's. */
@Tag("deep")
@Tag("once")
class SimulatorTests {

    private static final String ADDRESS =
            SimulatorTextsTests.FOLDER.resolve("index.html").toUri().toString();
    private static final Path OUTPUT = Path.of("target", "simulator");
    private static final int HISTORIES = Depth.pick(100, 200, 2_000);
    private static final int AT_ONCE = 100;

    private static Browser browser;

    private final List<Page> pages = new ArrayList<>();

    @BeforeAll
    static void start() {
        PlaywrightAssertions.setDefaultAssertionTimeout(Deadline.SECONDS * 1_000.0);
        browser = new Browser();
    }

    @AfterAll
    static void stop() {
        browser.close();
    }

    @AfterEach
    void close() {
        pages.forEach(page -> page.context().close());
        browser.assertNoComplaints();
    }

    private Page open(String language, ColorScheme colours, String settings) {
        Page page = browser.open("anybody", language, colours, ADDRESS + settings);
        pages.add(page);
        return page;
    }

    private Page open() {
        return open("en-GB", ColorScheme.LIGHT, "");
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static int number(Page page, String script) {
        return ((Number) page.evaluate(script)).intValue();
    }

    private static boolean isSo(Page page, String script) {
        return Boolean.TRUE.equals(page.evaluate(script));
    }

    // ---- the rule

    @Test
    @Timeout(300)
    void whoGetsEachPermitIsWhoGetsItInTheEngine() throws Exception {
        Page page = open();
        long seed = Depth.seed();
        int granted = 0;
        for (int from = 0; from < HISTORIES; from += AT_ONCE) {
            List<SimulatedHistory> histories = LongStream.range(seed + from, seed + from + AT_ONCE)
                    .mapToObj(SimulatedHistory::new)
                    .toList();
            List<?> stories = (List<?>) page.evaluate(
                    "all => all.map(settings => simulate(settings, 'turns').story)",
                    histories.stream().map(SimulatedHistory::forPage).toList());
            for (int i = 0; i < AT_ONCE; i++) {
                List<String> story =
                        ((List<?>) stories.get(i)).stream().map(String::valueOf).toList();
                granted += histories.get(i).playOnEngine(story);
            }
        }
        assertThat(granted).isGreaterThan(20 * HISTORIES);
    }

    /** What the page says of its examples, in the numbers of their runs. */
    @Test
    void theExamplesShowWhatIsSaidOfThem() {
        Page page = open();
        page.evaluate("choose(EXAMPLES.flood)");
        assertThat(isSo(page, "shown[0].fares[1].median > 0.75 * shown[0].fares[0].done"))
                .isTrue();
        assertThat(isSo(page, "Math.max(shown[1].fares[1].p99, shown[1].fares[2].p99) < 10_000"))
                .isTrue();
        assertThat(isSo(page, "shown[1].fares[0].done < 1.05 * shown[0].fares[0].done"))
                .isTrue();
        page.evaluate("choose(EXAMPLES.limit)");
        assertThat(isSo(page, "shown[1].fares[1].p99 === 0 && shown[1].fares[2].p99 === 0"))
                .isTrue();
        assertThat(isSo(page, "shown[1].run.end > 2 * shown[0].run.end")).isTrue();
        page.evaluate("choose(EXAMPLES.long)");
        assertThat(isSo(
                        page,
                        "[1_000, 1_500, 2_000].every(at => stateAt(shown[1].run, at * 1_000).held"
                                + ".every(count => count >= 6 && count <= 7))"))
                .isTrue();
        page.evaluate("choose(EXAMPLES.weights)");
        assertThat(page.evaluate("stateAt(shown[1].run, 100_000).held.join()")).isEqualTo("15,5");
        page.evaluate("choose(EXAMPLES.guarantee)");
        assertThat(isSo(
                        page,
                        "shown[1].run.tasks.filter(({ tenant, number }) => tenant > 0 && number === 0)"
                                + ".every(({ starts, comes }) => starts === comes)"))
                .isTrue();
    }

    // ---- the page

    @Test
    void theFloodIsShownFirstWithOneSemaphoreAndWithTurns() {
        Page page = open();
        assertThat(button(page, "One tenant floods (600 : 10 : 10)")).hasAttribute("aria-pressed", "true");
        assertThat(page.locator("canvas")).hasCount(2);
        assertThat(page.locator("canvas").first())
                .hasAttribute(
                        "aria-label", Pattern.compile("One semaphore for all.*hooli waits 1\\.\\d+ s in the median.*"));
        assertThat(page.locator("canvas").last())
                .hasAttribute("aria-label", Pattern.compile("Fair turns.*hooli waits [\\d.]+ ms in the median.*"));
        assertThat(page.locator("#summary tbody")).hasCount(3);
        assertThat(page.locator("#summary tbody").nth(1)).containsText("hooli: 10 tasks");
        // As the docs have it.
        page.locator("#runs").screenshot(new Locator.ScreenshotOptions().setPath(OUTPUT.resolve("simulator.png")));
    }

    @Test
    void itIsPlayedAndMovedInTimeByKeysAlone() {
        Page page = open();
        Locator time = page.locator("#time");
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        assertThat(page.locator("#picture")).isFocused();
        page.keyboard().press("Home");
        assertThat(time).hasText(Pattern.compile("0 ms of .*"));
        page.keyboard().press("ArrowRight");
        int moved = number(page, "time");
        assertThat(moved).isPositive();
        page.keyboard().press("Space");
        assertThat(button(page, "Pause")).isVisible();
        page.waitForFunction("moved => time > moved", moved);
        page.keyboard().press("Space");
        assertThat(button(page, "Play")).isVisible();
        page.keyboard().press("End");
        assertThat(page.locator(".said").first()).hasText(Pattern.compile("done after .*"));

        Locator slider = page.getByLabel("Moment");
        slider.focus();
        page.keyboard().press("ArrowLeft");
        assertThat(slider).hasAttribute("aria-valuetext", Pattern.compile(".* of .*acme: .* running, .* waiting.*"));
        assertThat(isSo(page, "time < end")).isTrue();
        page.keyboard().press("Tab");
        assertThat(page.getByLabel("Played in")).isFocused();
        page.keyboard().press("Space");
        assertThat(button(page, "Play")).isVisible();
    }

    @Test
    void itEndsByItselfAndBeginsAnew() {
        Page page = open();
        page.getByLabel("Played in").selectOption("5");
        page.evaluate("goTo(0.95 * end)");
        button(page, "Play").click();
        page.waitForFunction("() => time === end && playing === null");
        assertThat(button(page, "Play")).isVisible();
        button(page, "Play").click();
        page.waitForFunction("() => time > 0 && time < end");
    }

    @Test
    void motionIsInAFewStepsWhereItIsToBeReduced() {
        Page page = open();
        page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(ReducedMotion.REDUCE));
        page.getByLabel("Played in").selectOption("5");
        page.evaluate("() => { window.moves = []; const real = goTo;"
                + " goTo = (wanted) => { real(wanted); moves.push(time); }; goTo(0); play(); }");
        page.waitForFunction("() => moves.length > 4");
        assertThat(isSo(page, "moves.slice(2).every((to, index) => to - moves[index + 1] >= 0.049 * end)"))
                .isTrue();
    }

    @Test
    void whatIsTypedIsShownAndStandsInTheAddress() {
        Page page = open();
        page.getByLabel("Cap over all").fill("5");
        button(page, "Add a tenant").click();
        assertThat(page.locator("fieldset")).hasCount(4);
        assertThat(page.getByLabel("Name").last()).isFocused();
        page.getByLabel("Name").last().fill("wayne & <b>sons</b>, etc.");
        page.getByLabel("Weight").last().fill("3");
        page.getByLabel("Compare with").selectOption("limits");
        assertThat(page.locator("#see")).hasText(Pattern.compile("These are settings of your own.*"));
        assertThat(page.locator("h3").first()).hasText("Limits for each tenant, first come, first served");

        Page other = open("en-GB", ColorScheme.LIGHT, page.url().substring(ADDRESS.length()));
        assertThat(other.getByLabel("Cap over all")).hasValue("5");
        assertThat(other.locator("legend").last()).hasText("wayne & <b>sons</b>,");
        assertThat(other.getByLabel("Weight").last()).hasValue("3");
        assertThat(other.getByLabel("Compare with")).hasValue("limits");
        assertThat(other.evaluate("written(settings)")).isEqualTo(page.evaluate("written(settings)"));
        button(other, "Remove acme").click();
        assertThat(other.locator("#summary tbody")).hasCount(3);
    }

    @Test
    void whatCannotBeIsSaidAndThePictureStays() {
        Page page = open();
        Object before = page.evaluate("written(settings)");
        page.getByLabel("Headroom").fill("20");
        assertThat(page.getByRole(AriaRole.ALERT)).hasText("Headroom: less than the cap, so 19 at most.");
        assertThat(page.getByLabel("Headroom")).hasAttribute("aria-invalid", "true");
        page.getByLabel("Headroom").fill("2");
        assertThat(page.getByRole(AriaRole.ALERT)).isEmpty();
        page.getByLabel("Headroom").fill("0");
        page.getByLabel("Guaranteed").nth(1).fill("21");
        assertThat(page.getByRole(AriaRole.ALERT))
                .hasText("Guaranteed of hooli: all guarantees are 21, but the cap less the headroom is 20.");
        assertThat(page.evaluate("written(settings)")).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"#cap=0&t=a,1,0,0,1,,1,0", "#t=a,1", "#cap=5&headroom=5&t=a,1,0,0,1,,1,0", "#t=%,1", "#nothing"})
    void anAddressThatIsWrongGivesTheFirstExample(String settings) {
        Page page = open("en-GB", ColorScheme.LIGHT, settings);
        assertThat(page.getByRole(AriaRole.ALERT)).hasText(Pattern.compile("The address has settings.*"));
        assertThat(button(page, "One tenant floods (600 : 10 : 10)")).hasAttribute("aria-pressed", "true");
    }

    @ParameterizedTest
    @ValueSource(ints = {320, 390, 1_200})
    void nothingIsWiderThanTheScreen(int width) {
        Page page = open();
        page.setViewportSize(width, 844);
        page.waitForFunction("width => shown.every(({ picture }) => picture.width <= width)", width);
        for (String name : List.of("flood", "limit", "long", "weights", "guarantee")) {
            page.evaluate("name => choose(EXAMPLES[name])", name);
            assertThat(number(page, "document.documentElement.scrollWidth")).isEqualTo(width);
        }
        page.evaluate("goTo(0.4 * end)");
        page.screenshot(new Page.ScreenshotOptions().setFullPage(true).setPath(OUTPUT.resolve("at-" + width + ".png")));
    }

    @ParameterizedTest
    @EnumSource(names = {"LIGHT", "DARK"})
    void itIsAccessible(ColorScheme colours) throws IOException {
        Page page = open("en-GB", colours, "");
        Browser.assertAccessible(page);
        page.evaluate("choose(EXAMPLES.guarantee)");
        page.getByLabel("Headroom").fill("20");
        Browser.assertAccessible(page);
    }

    @Test
    void everyWordIsThereInChineseToo() throws IOException {
        Page page = open("zh-CN", ColorScheme.LIGHT, "");
        Map<String, String> chinese = SimulatorTextsTests.texts("zh");
        assertThat(page.locator("html")).hasAttribute("lang", "zh-CN");
        assertThat(page.locator("h1")).hasText(chinese.get("title"));
        assertThat(page.locator("#see")).hasText(chinese.get("see.flood"));
        assertThat(page.getByLabel(chinese.get("headroom"))).hasValue("0");
        page.evaluate("goTo(0)");
        page.locator("#language").selectOption("en");
        assertThat(page.locator("h1")).hasText("Who gets the next permit");
        assertThat(page.locator("legend").first()).hasText("acme");
        page.reload();
        assertThat(page.locator("h1")).hasText("Who gets the next permit");
    }
}
