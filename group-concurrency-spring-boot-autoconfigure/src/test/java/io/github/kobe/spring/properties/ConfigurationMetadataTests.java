package io.github.kobe.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class ConfigurationMetadataTests {

    private static final Set<String> COLLECTIONS = Set.of("group-concurrency.groups", "group-concurrency.group-list");

    private final List<JsonNode> properties = read("properties").stream()
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
                .filteredOn(
                        property -> !COLLECTIONS.contains(property.path("name").asText()))
                .allSatisfy(property -> assertThat(property.has("defaultValue")).isTrue());
    }

    @Test
    void groupsAndListAreOneEntryEach() {
        assertThat(names(properties))
                .containsAll(COLLECTIONS)
                .noneMatch(name -> COLLECTIONS.stream().anyMatch(collection -> name.startsWith(collection + ".")));
    }

    @Test
    void keysHaveHints() {
        assertThat(names(read("hints"))).contains("group-concurrency.groups.keys");
    }

    private static Set<String> names(List<JsonNode> items) {
        return items.stream().map(item -> item.path("name").asText()).collect(Collectors.toSet());
    }

    private static List<JsonNode> read(String section) {
        Class<?> type = GroupConcurrencyProperties.class;
        try (InputStream json = type.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            JsonNode items = new ObjectMapper().readTree(json).path(section);
            return StreamSupport.stream(items.spliterator(), false).toList();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }
}
