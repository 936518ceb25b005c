package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.spring.actuate.GroupExecutorEndpoint;
import io.github.kobe.spring.actuate.GroupScopesEndpoint;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.observation.DefaultGroupTaskObservationConvention;
import io.github.kobe.spring.observation.GroupTaskObservationDocumentation;
import io.github.kobe.spring.rollout.RolloutsEndpoint;
import io.github.kobe.spring.testing.Metadata;
import io.github.kobe.testing.Markdown;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/** Compares the tables of the reference with the code, both ways: nothing is left out, and nothing is made up. */
@Tag("deep")
class ReferenceTests {

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    @TempDir
    static Path folder;

    /** Without them there are no meters of what instances share, and of rates. */
    private static final String SHARED = """
        group-concurrency:
          cluster: { namespace: tests, on-store-loss: closed }
          redis.uri: redis://localhost:1
          global.rate: 1000 per 1s
          groups: { shared: { cluster-max-in-flight: 2, rate: 60 per 1m } }
        """;

    /** It has built a report. */
    private static DocumentedApplication application;

    @BeforeAll
    static void start() throws IOException {
        application = new DocumentedApplication(
                Markdown.page("README.md").blocks("yaml").getFirst() + "\n---\n" + SHARED, folder);
        application.bean(TenantReports.class).build("a");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    @Tag("once")
    void thePageOfPropertiesHasNameTypeAndDefaultOfEach() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        for (List<String> row :
                Markdown.page("docs/reference/properties.md").table("property", "type", "default", "meaning")) {
            documented.put(codeOf(row.get(0)), row.get(1) + " = " + row.get(2));
            assertThat(row.get(3)).as(row.get(0)).isNotBlank();
        }
        Map<String, String> bound = new TreeMap<>();
        for (JsonNode property : Metadata.all("properties")) {
            String name = property.path("name").asText();
            if (name.startsWith("group-concurrency.")) {
                bound.put(
                        name.substring("group-concurrency.".length()),
                        typeOf(property.path("type").asText()) + " = " + defaultOf(property));
            }
        }
        assertThat(documented).isNotEmpty().isEqualTo(bound);
    }

    private static String typeOf(String type) {
        String raw = type.replaceFirst("<.*", "");
        return switch (raw) {
            case "java.lang.Boolean" -> "boolean";
            case "java.lang.Integer" -> "number";
            case "java.lang.String" -> "text";
            case "java.time.Duration" -> "duration";
            case "java.util.List" -> "list";
            case "java.util.Map" -> "map";
            default -> constantsOf(raw);
        };
    }

    private static String constantsOf(String type) {
        try {
            return Arrays.stream(Class.forName(type).getEnumConstants())
                    .map(constant ->
                            "`" + constant.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "`")
                    .collect(Collectors.joining(", "));
        } catch (ClassNotFoundException failure) {
            throw new AssertionError(failure);
        }
    }

    private static String defaultOf(JsonNode property) {
        JsonNode given = property.path("defaultValue");
        String value = given.isArray() ? given.path(0).asText() : given.asText();
        boolean several = typeOf(property.path("type").asText()).matches("list|map");
        if (value.isEmpty()) {
            return several ? "" : "none";
        }
        return "`" + value + "`";
    }

    @Test
    void thePageOfMetersHasNameTypeUnitAndTagsOfEach() throws Exception {
        Map<String, String> documented = new TreeMap<>();
        for (List<String> row : Markdown.page("docs/reference/meters.md").table("name", "type", "unit", "tells")) {
            assertThat(row.get(3)).as(row.get(0)).isNotBlank();
            documented.put(
                    codeOf(row.get(0)),
                    row.get(1) + ", " + row.get(2) + codesIn(row.get(3).replaceFirst("^[^;]*", "")));
        }
        application.bean(GroupExecutor.class).call("vip", () -> "used");
        assertThat(application.bean(GroupExecutor.class).tryAcquire("shared", Duration.ZERO))
                .isEmpty();
        Map<String, Meter.Id> ids = new TreeMap<>();
        Map<String, Set<String>> tags = new TreeMap<>();
        for (Meter meter : application.bean(MeterRegistry.class).getMeters()) {
            String name = meter.getId().getName();
            if (name.startsWith("group.")) {
                ids.put(name, meter.getId());
                Set<String> values = tags.computeIfAbsent(name, key -> new TreeSet<>());
                for (io.micrometer.core.instrument.Tag tag : meter.getId().getTags()) {
                    if (!List.of("executor", "group", "scope").contains(tag.getKey())) {
                        values.addAll(List.of(tag.getKey(), tag.getValue()));
                    }
                }
            }
        }
        Map<String, String> registered = new TreeMap<>();
        ids.forEach((name, id) -> {
            String type = id.getType().name().toLowerCase(Locale.ROOT);
            String unit = type.equals("timer") || id.getBaseUnit() == null ? "" : id.getBaseUnit();
            registered.put(name, type + ", " + unit + tags.get(name));
        });
        assertThat(documented).isNotEmpty().isEqualTo(registered);
    }

    @Test
    void thePageOfMetersHasThoseOfRolloutsToo() {
        application.bean(MetricsRegistry.class).incrementCounter("task_completed", PlanId.of("plan-shown"));
        Map<String, String> documented = new TreeMap<>();
        for (List<String> row : Markdown.page("docs/reference/meters.md").table("meter", "type", "unit", "tells")) {
            documented.put(codeOf(row.get(0)), row.get(1) + ", " + row.get(2));
        }
        Map<String, String> registered = new TreeMap<>();
        for (Meter meter : application.bean(MeterRegistry.class).getMeters()) {
            Meter.Id id = meter.getId();
            if (id.getName().startsWith("rollout.")) {
                String unit = id.getBaseUnit() == null ? "" : id.getBaseUnit();
                registered.put(id.getName(), id.getType().name().toLowerCase(Locale.ROOT) + ", " + unit);
            }
        }
        assertThat(documented).isNotEmpty().isEqualTo(registered);
    }

    @Test
    @Tag("once")
    void thePageOfObservationsHasEachKey() {
        Markdown page = Markdown.page("docs/reference/observations.md");
        GroupTaskObservationDocumentation task = GroupTaskObservationDocumentation.TASK;
        Map<String, String> keys = new TreeMap<>();
        for (KeyName key : task.getLowCardinalityKeyNames()) {
            keys.put(key.asString(), "low");
        }
        for (KeyName key : task.getHighCardinalityKeyNames()) {
            keys.put(key.asString(), "high");
        }
        Map<String, String> documented = new TreeMap<>();
        for (List<String> row : page.table("key", "cardinality", "value")) {
            documented.put(codeOf(row.get(0)), row.get(1));
        }

        assertThat(documented).isEqualTo(keys);
        assertThat(task.getEvents()).isEmpty();
        assertThat(page.table("observation", "of"))
                .extracting(row -> codeOf(row.get(0)))
                .containsExactly(new DefaultGroupTaskObservationConvention().getName());
    }

    @Test
    void thePageOfObservationsHasEachEventOfTheFlightRecorderWithItsFields() {
        Markdown page = Markdown.page("docs/reference/observations.md");
        FlightRecorder recorder = FlightRecorder.getFlightRecorder();
        application.bean(TenantReports.class).build("a"); // the first work that the recorder is there for
        // An application of another test's class path may have registered its own of the same names.
        List<EventType> events = recorder.getEventTypes().stream()
                .filter(type -> type.getName().startsWith("io.github.kobe."))
                .toList();

        assertThat(page.table("event", "duration", "fields"))
                .extracting(row -> codeOf(row.get(0)))
                .containsExactlyInAnyOrderElementsOf(
                        events.stream().map(EventType::getName).collect(Collectors.toSet()));
        assertThat(events)
                .flatExtracting(EventType::getFields)
                .extracting(ValueDescriptor::getName)
                .filteredOn(name -> !List.of("startTime", "duration", "eventThread", "stackTrace")
                        .contains(name))
                .allSatisfy(name -> assertThat(page.text()).contains("`" + name + "`"));
    }

    @Test
    @Tag("once")
    void thePageOfTheEndpointHasEachOperationWithItsParameters() {
        Markdown page = Markdown.page("docs/reference/endpoint.md");
        Set<String> fields = page.table("field", "value").stream()
                .map(row -> codeOf(row.get(0)))
                .collect(Collectors.toCollection(TreeSet::new));
        Map<String, Set<String>> documented = new TreeMap<>();
        for (List<String> row : page.table("request", "parameters", "answer")) {
            Set<String> parameters = new TreeSet<>(codesIn(row.get(1)));
            if (row.get(1).startsWith("JSON as below")) {
                Set<String> left = new TreeSet<>(fields);
                left.removeAll(parameters);
                parameters = left;
            }
            documented.put(codeOf(row.get(0)), parameters);
        }
        Map<String, Set<String>> offered = new TreeMap<>();
        for (Method operation : GroupExecutorEndpoint.class.getMethods()) {
            String verb = verbOf(operation);
            if (verb != null) {
                boolean selects = Stream.of(operation.getParameters()).anyMatch(ReferenceTests::isSelector);
                offered.put(verb + (selects ? " /KEY" : ""), parametersOf(operation));
            }
        }
        assertThat(documented).isNotEmpty().isEqualTo(offered);
    }

    @Test
    @Tag("once")
    void thePageOfTheEndpointOfRolloutsHasEachOperationWithItsParameters() {
        Markdown page = Markdown.page("docs/reference/rollouts-endpoint.md");
        Map<String, Set<String>> documented = new TreeMap<>();
        for (List<String> row : page.table("request", "parameters", "answer")) {
            // A plan and its events are one operation.
            documented
                    .computeIfAbsent(codeOf(row.get(0)).replace("/events", ""), request -> new TreeSet<>())
                    .addAll(codesIn(row.get(1)));
        }
        Map<String, Set<String>> offered = new TreeMap<>();
        for (Method operation : RolloutsEndpoint.class.getMethods()) {
            String verb = verbOf(operation);
            if (verb != null) {
                boolean selects = Stream.of(operation.getParameters()).anyMatch(ReferenceTests::isSelector);
                offered.put(verb + (selects ? " /PLAN" : ""), parametersOf(operation));
            }
        }
        assertThat(documented).isNotEmpty().isEqualTo(offered);
    }

    private static Set<String> parametersOf(Method operation) {
        return Stream.of(operation.getParameters())
                .filter(parameter -> !isSelector(parameter) && parameter.getType() == String.class)
                .map(Parameter::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    @Tag("once")
    void thePageOfTheEndpointOfScopesHasEachParameter() {
        Set<String> offered = new TreeSet<>();
        for (Method operation : GroupScopesEndpoint.class.getMethods()) {
            if (verbOf(operation) != null) {
                assertThat(verbOf(operation)).isEqualTo("GET");
                Stream.of(operation.getParameters()).map(Parameter::getName).forEach(offered::add);
            }
        }
        assertThat(Markdown.page("docs/reference/scopes-endpoint.md").table("parameter", "default", "meaning"))
                .extracting(row -> codeOf(row.get(0)))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(offered);
    }

    private static String verbOf(Method operation) {
        if (operation.isAnnotationPresent(ReadOperation.class)) {
            return "GET";
        }
        if (operation.isAnnotationPresent(WriteOperation.class)) {
            return "POST";
        }
        return operation.isAnnotationPresent(DeleteOperation.class) ? "DELETE" : null;
    }

    private static boolean isSelector(Parameter parameter) {
        return parameter.isAnnotationPresent(Selector.class);
    }

    @Test
    @Tag("once")
    void thePageOfTheAnnotationHasEachAttributeWithItsDefault() {
        Map<String, String> documented = new TreeMap<>();
        for (List<String> row :
                Markdown.page("docs/reference/annotation.md").table("attribute", "default", "meaning")) {
            assertThat(row.get(2)).as(row.get(0)).isNotBlank();
            documented.put(codeOf(row.get(0)), row.get(1));
        }
        Map<String, String> declared = new TreeMap<>();
        for (Method attribute : GroupConcurrent.class.getDeclaredMethods()) {
            declared.put(attribute.getName(), shownDefault(attribute.getDefaultValue()));
        }
        assertThat(documented).isEqualTo(declared);
    }

    private static String shownDefault(Object value) {
        return switch (value) {
            case null -> "";
            case String text -> "`\"" + text + "\"`";
            case String[] texts -> "`{" + String.join(", ", texts) + "}`";
            default -> "`" + value + "`";
        };
    }

    @Test
    @Tag("once")
    void thePageOfResultsHasEachStatusAndReason() {
        String page = Markdown.page("docs/reference/results.md").text();

        assertThat(Arrays.stream(TaskStatus.values()).map(Enum::name))
                .allMatch(name -> page.contains("`" + name + "`"));
        assertThat(Arrays.stream(RejectionReason.values()).map(Enum::name))
                .allMatch(name -> page.contains("| `" + name + "` |"));
    }

    private static String codeOf(String cell) {
        return codesIn(cell).getFirst();
    }

    private static List<String> codesIn(String cell) {
        return CODE.matcher(cell).results().map(ReferenceTests::code).sorted().toList();
    }

    private static String code(MatchResult found) {
        return found.group(1);
    }
}
