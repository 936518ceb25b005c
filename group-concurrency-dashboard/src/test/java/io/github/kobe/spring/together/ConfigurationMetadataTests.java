package io.github.kobe.spring.together;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.spring.testing.Metadata;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class ConfigurationMetadataTests {

    /** Unset is a state of its own. */
    private static final Set<String> WITHOUT_A_DEFAULT = Set.of(
            "group-concurrency.client.honour-retry-after",
            "group-concurrency.cluster.namespace",
            "group-concurrency.cluster.node-name",
            "group-concurrency.cluster.on-store-loss",
            "group-concurrency.datasource.defaults.max-in-flight",
            "group-concurrency.datasource.defaults.rate.burst",
            "group-concurrency.datasource.defaults.rate.limit",
            "group-concurrency.datasource.defaults.rate.per",
            "group-concurrency.datasource.enabled",
            "group-concurrency.defaults.max-in-flight",
            "group-concurrency.defaults.rate.burst",
            "group-concurrency.defaults.rate.limit",
            "group-concurrency.defaults.rate.per",
            "group-concurrency.global.rate.burst",
            "group-concurrency.global.rate.limit",
            "group-concurrency.global.rate.per",
            "group-concurrency.health.cluster-loss",
            "group-concurrency.health.oldest-wait",
            "group-concurrency.health.queue",
            "group-concurrency.limits-refresh",
            "group-concurrency.redis.uri",
            "group-concurrency.rollout.application",
            "group-concurrency.rollout.http.stage-timeout",
            "group-concurrency.rollout.node",
            "group-concurrency.rollout.retention",
            "group-concurrency.rollout.store");

    private static final Set<String> COLLECTIONS = Set.of(
            "group-concurrency.datasource.defaults.rates",
            "group-concurrency.datasource.group-list",
            "group-concurrency.datasource.groups",
            "group-concurrency.defaults.rates",
            "group-concurrency.groups",
            "group-concurrency.group-list",
            "group-concurrency.rollout.http.header",
            "group-concurrency.web.filter.rules");

    private final List<JsonNode> properties = Metadata.all("properties").stream()
            .filter(property -> property.path("name").asText().startsWith("group-concurrency."))
            .toList();

    @Test
    void everyPropertyHasADescriptionWrittenAsASentence() {
        assertThat(properties)
                .isNotEmpty()
                .allSatisfy(property ->
                        assertThat(property.path("description").asText()).matches("(?s)[A-Z][^{}]+\\."));
    }

    @Test
    void everyScalarPropertyHasADefault() {
        assertThat(properties)
                .filteredOn(property -> !COLLECTIONS.contains(
                                property.path("name").asText())
                        && !WITHOUT_A_DEFAULT.contains(property.path("name").asText()))
                .allSatisfy(property -> assertThat(property.has("defaultValue")).isTrue());
    }

    @Test
    void whatIsUnlimitedIsCalledSo() {
        assertThat(properties)
                .filteredOn(property -> !property.path("name").asText().endsWith(".order"))
                .extracting(property -> property.path("defaultValue").asText())
                .contains("unlimited")
                .doesNotContain("2147483647")
                .noneMatch(value -> value.startsWith("PT25620"));
    }

    @Test
    void groupsListAndRulesAreOneEntryEach() {
        assertThat(names(properties))
                .containsAll(COLLECTIONS)
                .noneMatch(name -> COLLECTIONS.stream().anyMatch(collection -> name.startsWith(collection + ".")));
    }

    @Test
    void keysHaveHints() {
        assertThat(names(Metadata.all("hints")))
                .contains(
                        "group-concurrency.groups.keys",
                        "group-concurrency.group-list",
                        "group-concurrency.datasource.groups.keys",
                        "group-concurrency.datasource.group-list",
                        "group-concurrency.datasource.max-connections");
    }

    private static Set<String> names(List<JsonNode> items) {
        return items.stream().map(item -> item.path("name").asText()).collect(Collectors.toSet());
    }
}
