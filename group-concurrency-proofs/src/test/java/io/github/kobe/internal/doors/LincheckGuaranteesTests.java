package io.github.kobe.internal.doors;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.doors.Scenarios.Guarantee;
import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Lincheck is told of classes and methods by name; what it is told of has to exist. */
class LincheckGuaranteesTests {

    static Stream<Guarantee> guarantees() {
        return Scenarios.GUARANTEES.stream();
    }

    @ParameterizedTest
    @MethodSource("guarantees")
    void whatLincheckIsToldOfExists(Guarantee guarantee) throws ClassNotFoundException {
        Class<?> type = Class.forName(guarantee.type(), false, LincheckGuaranteesTests.class.getClassLoader());

        assertThat(Stream.of(type.getDeclaredMethods()).map(Method::getName)).containsAll(guarantee.names());
    }
}
