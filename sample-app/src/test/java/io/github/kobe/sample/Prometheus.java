package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A Prometheus of a test's own, the one on the path. It scrapes each second, on a free port, into a folder of its own. */
final class Prometheus implements AutoCloseable {

    /** What a query gave over some time for one set of labels: seconds since the epoch, and what it was then. */
    record Series(Map<String, String> labels, Map<Double, Double> values) {}

    private static final Pattern LISTENING = Pattern.compile("msg=\"Listening on\" address=\\S+:(\\d+)");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final HttpClient http = HttpClient.newHttpClient();
    private final Instant start = Instant.now();
    private final Path folder;
    private final Process process;
    private final String address;

    private Prometheus(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
        Deadline.until(() -> "Prometheus listens: " + log(), () -> port().find());
        Matcher port = port();
        assertThat(port.find()).isTrue();
        address = "http://127.0.0.1:" + port.group(1);
        // It listens before it answers queries.
        Deadline.until(
                () -> "Prometheus is ready: " + log(), () -> answer("/-/ready").statusCode() == 200);
    }

    /** Starts one that scrapes an application on this machine and looks at alert rules. */
    static Prometheus scraping(int port, Path rules) throws IOException {
        Path folder = Files.createTempDirectory("prometheus");
        Path settings = Files.writeString(folder.resolve("prometheus.yml"), """
            global: { scrape_interval: 1s, evaluation_interval: 1s }
            rule_files: ['%s']
            scrape_configs:
              - job_name: reports
                metrics_path: /actuator/prometheus
                static_configs: [{ targets: ['127.0.0.1:%d'] }]
            """.formatted(rules, port));
        Process process = started(settings);
        try {
            return new Prometheus(folder, process);
        } catch (AssertionError notInTime) {
            process.destroyForcibly();
            throw notInTime;
        }
    }

    private static Process started(Path settings) {
        Path folder = settings.getParent();
        try {
            return new ProcessBuilder(
                            "prometheus",
                            "--config.file=" + settings,
                            "--storage.tsdb.path=" + folder.resolve("data"),
                            "--web.listen-address=127.0.0.1:0")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
        } catch (IOException absent) {
            throw new AssertionError("There is no prometheus on the path: install it (on Debian, its package)", absent);
        }
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Matcher port() {
        return LISTENING.matcher(log());
    }

    /** {@return what an expression gives now: the values of all its series} */
    List<Double> now(String expression) {
        List<Double> values = new ArrayList<>();
        for (JsonNode series : result("/api/v1/query?query=" + encoded(expression))) {
            values.add(number(series.at("/value/1")));
        }
        return values;
    }

    /** Waits until an expression gives something. */
    void await(String expression) {
        Deadline.until(
                () -> expression + " gives something", () -> !now(expression).isEmpty());
    }

    /** {@return what an expression has given since the start, second by second} */
    List<Series> sinceStart(String expression) {
        String range = "&step=1&start=" + start.getEpochSecond() + "&end="
                + Instant.now().getEpochSecond();
        List<Series> all = new ArrayList<>();
        for (JsonNode series : result("/api/v1/query_range?query=" + encoded(expression) + range)) {
            Map<String, String> labels = new TreeMap<>();
            series.get("metric").forEachEntry((label, value) -> labels.put(label, value.asString()));
            Map<Double, Double> values = new TreeMap<>();
            for (JsonNode point : series.get("values")) {
                values.put(point.get(0).asDouble(), number(point.get(1)));
            }
            all.add(new Series(labels, values));
        }
        return all;
    }

    /** {@return the values that a label has had, as a variable of a board asks for them} */
    List<String> labelValues(String label, String selector) {
        List<String> values = new ArrayList<>();
        get("/api/v1/label/" + label + "/values?match%5B%5D=" + encoded(selector))
                .get("data")
                .forEach(value -> values.add(value.asString()));
        return values;
    }

    /** {@return each rule's name, with what is wrong with it: nothing, if it could be evaluated} */
    Map<String, String> rules() {
        Map<String, String> rules = new TreeMap<>();
        for (JsonNode rule : get("/api/v1/rules").at("/data/groups/0/rules")) {
            rules.put(rule.get("name").asString(), rule.path("lastError").asString(""));
        }
        return rules;
    }

    private JsonNode result(String path) {
        return get(path).at("/data/result");
    }

    private HttpResponse<String> answer(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                .timeout(TIMEOUT)
                .build();
        return http.sendAsync(request, BodyHandlers.ofString()).join();
    }

    private JsonNode get(String path) {
        String answer = answer(path).body();
        JsonNode json = JsonMapper.shared().readTree(answer);
        assertThat(json.path("status").asString("")).as(answer).isEqualTo("success");
        return json;
    }

    private static double number(JsonNode text) {
        return Double.parseDouble(text.asString().replace("Inf", "Infinity"));
    }

    private static String encoded(String expression) {
        return URLEncoder.encode(expression, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        Deadline.close(http);
        try {
            ChildProcess.kill(process);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        FileSystemUtils.deleteRecursively(folder);
    }
}
