package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GroupResultTests {

    private static final Exception FAILURE = new Exception("no");

    @Tag("G28")
    @Tag("G29")
    @Test
    void aSuccessHasAValueAndNoError() {
        assertThat(GroupResult.success("a", "1", "v", 10, 25))
                .isEqualTo(new GroupResult<>("a", "1", TaskStatus.SUCCESS, "v", null, 10, 25));
    }

    @Tag("G29")
    @Test
    void theValueOfASuccessMayBeNull() {
        assertThat(GroupResult.success("a", "1", null, 10, 25).value()).isNull();
    }

    @Tag("G28")
    @Tag("G29")
    @Test
    void aFailureHasAnErrorAndNoValue() {
        assertThat(GroupResult.failed("a", "1", FAILURE, 10, 25))
                .isEqualTo(new GroupResult<>("a", "1", TaskStatus.FAILED, null, FAILURE, 10, 25));
    }

    @Tag("G28")
    @Tag("G29")
    @Test
    void aCancellationHasAnErrorAndNoValue() {
        assertThat(GroupResult.cancelled("a", "1", FAILURE, 10, 25))
                .isEqualTo(new GroupResult<>("a", "1", TaskStatus.CANCELLED, null, FAILURE, 10, 25));
    }

    @Tag("G28")
    @Tag("G29")
    @Test
    void aRejectionHasNeitherAndTookNoTime() {
        GroupResult<String> result = GroupResult.rejected("a", "1");

        assertThat(result.status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(result.value()).isNull();
        assertThat(result.error()).isNull();
        assertThat(result.durationNanos()).isZero();
    }

    @Tag("G28")
    @Test
    void theDurationIsFromStartToEndAlsoWhereTheClockOverflows() {
        assertThat(GroupResult.success("a", "1", "v", 10, 25).durationNanos()).isEqualTo(15);
        assertThat(GroupResult.success("a", "1", "v", Long.MAX_VALUE - 4, Long.MIN_VALUE + 5)
                        .durationNanos())
                .isEqualTo(10);
    }

    @Tag("G29")
    @ParameterizedTest
    @EnumSource(
            value = TaskStatus.class,
            names = {"FAILED", "CANCELLED"})
    void aResultWithoutTheErrorItNeedsIsRefused(TaskStatus status) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GroupResult<>("a", "1", status, null, null, 0, 0))
                .withMessageContaining(status.name());
    }

    @Tag("G29")
    @ParameterizedTest
    @EnumSource(
            value = TaskStatus.class,
            names = {"SUCCESS", "REJECTED"})
    void aResultWithAnErrorItCannotHaveIsRefused(TaskStatus status) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GroupResult<>("a", "1", status, null, FAILURE, 0, 0))
                .withMessageContaining(status.name());
    }

    @Tag("G29")
    @ParameterizedTest
    @EnumSource(value = TaskStatus.class, mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void aResultWithAValueItCannotHaveIsRefused(TaskStatus status) {
        Throwable error = status == TaskStatus.REJECTED ? null : FAILURE;

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GroupResult<>("a", "1", status, "v", error, 0, 0))
                .withMessageContaining(status.name());
    }

    @Tag("G28")
    @Test
    void aResultNamesGroupTaskAndStatus() {
        assertThatNullPointerException().isThrownBy(() -> GroupResult.rejected(null, "1"));
        assertThatNullPointerException().isThrownBy(() -> GroupResult.rejected("a", null));
        assertThatNullPointerException().isThrownBy(() -> new GroupResult<>("a", "1", null, null, null, 0, 0));
    }
}
