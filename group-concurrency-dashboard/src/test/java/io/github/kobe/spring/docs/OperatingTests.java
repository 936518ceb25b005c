package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.metrics.GroupConcurrencyMetricsAutoConfiguration;
import io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration;
import io.github.kobe.spring.rollout.RolloutMetricsAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Markdown;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the page on operating, the board and the alerts ask Prometheus for is there to be scraped. */
class OperatingTests {

    private static final Pattern SAMPLE =
            Pattern.compile("(?m)^((?:group_(?:executor|scope|cluster)|rollout)_[a-z_]+)\\{");
    private static final Pattern NAME = Pattern.compile("(?:group_(?:executor|scope|cluster)|rollout)_[a-z_]+");
    private static final Pattern LABELS =
            Pattern.compile("(?:by|without|ignoring|on) \\(([^)]*)\\)|\\$labels\\.(\\w+)");
    private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");
    private static final Pattern HELP = Pattern.compile("runbook_url: \\S+/docs/howto/operating\\.md#(\\w+)");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)!?=~?\"(\\w+)\"");

    /** What Prometheus adds to all that it scrapes. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    private static String scraped() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        StringBuilder scraped = new StringBuilder();
        new ApplicationContextRunner()
                .withConfiguration(BootAutoConfigurations.named("MetricsAutoConfiguration"))
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class,
                        GroupConcurrencyMetricsAutoConfiguration.class,
                        GroupConcurrencyRolloutAutoConfiguration.class,
                        RolloutMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> registry)
                .withBean(ClusterStore.class, ClusterStore::inMemory)
                .withPropertyValues(
                        "group-concurrency.global.max-in-flight=9",
                        "group-concurrency.global.rate=600 per 1m",
                        "group-concurrency.groups.vip.max-concurrency=2",
                        "group-concurrency.groups.vip.rate=60 per 1m",
                        "group-concurrency.groups.vip.cluster-max-in-flight=9",
                        "group-concurrency.cluster.on-store-loss=closed",
                        "group-concurrency.rollout.store=memory",
                        "management.metrics.distribution.percentiles-histogram.group.executor.wait=true")
                .run(context -> {
                    context.getBean(GroupExecutor.class).call("vip", () -> "done");
                    context.getBean(MetricsRegistry.class).incrementCounter("task_failed", PlanId.of("plan-1"));
                    scraped.append(registry.scrape());
                });
        return scraped.toString();
    }

    private static Set<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(found.groupCount() == 0 ? 0 : 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyNameOfThePageIsScrapedAndEveryScrapedOneIsInItsTable() {
        Markdown page = Markdown.page("docs/howto/operating.md");
        Set<String> names = all(SAMPLE, scraped());

        assertThat(all(NAME, page.text())).isNotEmpty().isSubsetOf(names);
        assertThat(page.table("meter", "in Prometheus"))
                .flatExtracting(row -> List.copyOf(all(NAME, row.get(1))))
                .containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void everyNameOfTheBoardAndTheAlertsIsScraped() throws IOException {
        Set<String> names = all(SAMPLE, scraped());

        for (String file : List.of("group-concurrency.json", "alerts.yml", "alerts-test.yml")) {
            assertThat(all(NAME, grafana(file))).as(file).isNotEmpty().isSubsetOf(names);
        }
    }

    @Test
    void everyAlertLeadsToItsSectionOfThePage() throws IOException {
        Set<String> alerts = all(ALERT, grafana("alerts.yml"));

        assertThat(alerts).isNotEmpty();
        assertThat(all(HELP, grafana("alerts.yml")))
                .isEqualTo(alerts.stream()
                        .map(alert -> alert.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toCollection(TreeSet::new)));
        assertThat(alerts)
                .isEqualTo(all(
                        Pattern.compile("(?m)^### (\\w+)$"),
                        Markdown.page("docs/howto/operating.md").section("Alerts")));
    }

    private static String grafana(String file) throws IOException {
        return Files.readString(Markdown.repository().resolve("docs/grafana/" + file));
    }

    @Test
    void everyLabelOfAQueryIsScraped() throws IOException {
        List<String> queries =
                new ArrayList<>(Markdown.page("docs/howto/operating.md").blocks("promql"));
        grafana("alerts.yml").lines().forEach(queries::add);
        assertThat(queries).hasSizeGreaterThan(5);
        String scraped = scraped();

        for (String query : queries) {
            Matcher labels = LABELS.matcher(query);
            while (labels.find()) {
                String named = labels.group(1) != null ? labels.group(1) : labels.group(2);
                assertThat(named.split(",\\s*"))
                        .allMatch(label -> OF_PROMETHEUS.contains(label) || scraped.contains(label + "=\""), query);
            }
            Matcher values = MATCHER.matcher(query);
            while (values.find()) {
                assertThat(scraped).contains(values.group(1) + "=\"" + values.group(2) + "\"");
            }
        }
    }
}
