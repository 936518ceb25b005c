package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import io.github.kobe.testing.Deadline;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Chromium without a window. It is the machine's own: nothing is downloaded. */
final class Browser implements AutoCloseable {

    private static final List<String> FLAGS = List.of(
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private final Playwright playwright =
            Playwright.create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    private final com.microsoft.playwright.Browser chromium = playwright
            .chromium()
            .launch(new BrowserType.LaunchOptions()
                    .setExecutablePath(installed())
                    .setArgs(FLAGS));

    /** What the pages have complained of: errors of scripts, and what the policy for their content forbids. */
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    private final AtomicLong answers = new AtomicLong();

    private static Path installed() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "chromium"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "Pages are tested in Chromium; on Debian: apt-get" + " install chromium fonts-wqy-microhei"));
    }

    /** {@return a page of a person of this name, who reads this language in these colours} */
    Page open(String user, String language, ColorScheme colours, String address) {
        BrowserContext context = chromium.newContext(new com.microsoft.playwright.Browser.NewContextOptions()
                .setHttpCredentials(user, "secret")
                .setLocale(language)
                .setColorScheme(colours)
                .setViewportSize(1280, 900));
        context.setDefaultTimeout(Deadline.SECONDS * 1_000.0);
        Page page = context.newPage();
        page.onPageError(complaints::add);
        page.onConsoleMessage(message -> {
            // A browser tells each answer of 4xx so, which some tests are about.
            if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
                complaints.add(message.text());
            }
        });
        page.onResponse(response -> answers.addAndGet(response.url().contains("/groupexecutor") ? 1 : 0));
        page.navigate(address);
        return page;
    }

    Page open(String address) {
        return open("ops", "en-GB", ColorScheme.LIGHT, address);
    }

    /**
     * Looks for what shuts people out who can't see the page, or not well, or have no mouse. It loads nothing itself: from a file
     * it may not.
     */
    static void assertAccessible(Page page) throws IOException {
        try (InputStream script = Browser.class.getResourceAsStream("/axe.min.js")) {
            page.evaluate(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
        Object found = page.evaluate("async () => (await axe.run({ preload: false })).violations.map("
                + "found => `${found.id}: ${found.help}: ${found.nodes.map(node => node.html).slice(0, 3)}`)");
        assertThat((List<?>) found).isEmpty();
    }

    /** {@return how often the pages have had an answer of the endpoint} */
    long answers() {
        return answers.get();
    }

    void assertNoComplaints() {
        assertThat(complaints).isEmpty();
    }

    @Override
    public void close() {
        chromium.close();
        playwright.close();
    }
}
