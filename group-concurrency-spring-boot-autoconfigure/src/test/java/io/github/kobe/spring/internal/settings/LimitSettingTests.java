package io.github.kobe.spring.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupLimits;
import io.github.kobe.spring.actuate.GroupExecutorEndpoint;
import io.github.kobe.spring.actuate.GroupReport;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.StringUtils;

/** What a new limit mustn't be left out of: binding and the endpoint's operations want each of them by its name. */
@Tag("once")
class LimitSettingTests {

    /** Another form of the rate, which has no name of its own where limits are shown or changed. */
    private static final String SEVERAL_RATES = "rates";

    private static final String[] FIELDS =
            Stream.of(LimitSetting.values()).map(LimitSetting::field).toArray(String[]::new);

    @ParameterizedTest
    @ValueSource(classes = {GroupConcurrencyProperties.Limits.class, ListedGroup.class, GroupReport.Limits.class})
    void everyRecordOfLimitsHasAllOfThemInTheirOrder(Class<?> type) {
        assertThat(Stream.of(type.getRecordComponents()).map(RecordComponent::getName))
                .filteredOn(name -> !name.equals("key") && !name.equals(SEVERAL_RATES))
                .containsExactly(FIELDS);
    }

    static Stream<Method> operations() {
        return Stream.of(GroupExecutorEndpoint.class.getMethods())
                .filter(method -> method.getName().startsWith("change"));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void everyChangeThroughTheEndpointTakesAllOfThemInTheirOrder(Method operation) {
        List<String> names =
                Stream.of(operation.getParameters()).map(Parameter::getName).toList();
        int first = names.indexOf(FIELDS[0]);

        assertThat(names.subList(first, first + FIELDS.length)).containsExactly(FIELDS);
    }

    @Test
    void theEngineHasNoOthers() {
        assertThat(Stream.of(GroupLimits.class.getMethods()).map(Method::getName))
                .filteredOn(name -> name.startsWith("with"))
                .map(name -> StringUtils.uncapitalize(name.substring("with".length())))
                .filteredOn(name -> !name.equals(SEVERAL_RATES))
                .containsExactlyInAnyOrder(FIELDS);
    }
}
