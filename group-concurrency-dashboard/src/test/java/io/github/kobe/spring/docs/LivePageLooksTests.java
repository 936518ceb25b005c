package io.github.kobe.spring.docs;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.github.kobe.testing.Deadline;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether what the live page shows can be read, in a browser. */
@Tag("secured")
class LivePageLooksTests {

    private static LivePageApplication application;
    private static Browser browser;
    private static Page page;

    @BeforeAll
    static void start() {
        PlaywrightAssertions.setDefaultAssertionTimeout(Deadline.SECONDS * 1_000.0);
        application = new LivePageApplication();
        browser = new Browser();
        page = browser.open(application.address() + "/group-concurrency/");
        assertThat(page.locator(".groups thead th")).hasCount(7);
    }

    @AfterAll
    static void stop() {
        browser.close();
        application.close();
    }

    @AfterEach
    void assertNoComplaints() {
        browser.assertNoComplaints();
    }

    @Test
    void noWordInTheHeadOfATableIsBroken() {
        Object broken = page.locator(".groups thead th").evaluateAll("""
            heads => heads.flatMap(head => {
              const text = head.firstChild;
              return [...text.data.matchAll(/\\S+/g)].filter(word => {
                const range = document.createRange();
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                return range.getClientRects().length > 1;
              }).map(word => word[0]);
            })\
            """);

        assertThat((List<?>) broken).isEmpty();
    }

    /** Where a line is drawn, from 0 at the top to 1 at the bottom. */
    private static List<?> heights(String lines, String values) {
        return (List<?>) page.evaluate("""
            async ([lines, values]) => {
              const { Chart } = await import(new URL('charts.js', location.href));
              const place = document.body.appendChild(document.createElement('div'));
              const chart = new Chart(place, lines.split(' '), { width: 600, height: 140, axes: true });
              chart.show([Date.now() / 1000 - 30, Date.now() / 1000],
                ...values.split(' ').map(value => [Number(value), Number(value)]));
              await new Promise(requestAnimationFrame);
              const { plot } = chart;
              const heights = values.split(' ').map((value, i) =>
                plot.valToPos(Number(value), plot.series[i + 1].scale) / plot.over.clientHeight);
              const axes = plot.axes.filter(axis => axis.show).length;
              chart.end();
              place.remove();
              return [...heights, axes];
            }\
            """, List.of(lines, values));
    }

    @Test
    void whatIsRefusedInASecondDoesNotFlattenWhatRuns() {
        List<?> seen = heights("running queued rejected", "2 1 96");

        assertThat(((Number) seen.get(0)).doubleValue()).isLessThan(0.1);
        assertThat(((Number) seen.get(1)).doubleValue()).isBetween(0.4, 0.6);
        assertThat(((Number) seen.get(2)).doubleValue()).isLessThan(0.1);
        assertThat(((Number) seen.get(3)).intValue()).isEqualTo(3);
    }

    @Test
    void aloneItHasTheOneAxis() {
        List<?> seen = heights("rejected", "96");

        assertThat(((Number) seen.get(0)).doubleValue()).isLessThan(0.1);
        assertThat(((Number) seen.get(1)).intValue()).isEqualTo(2);
    }
}
