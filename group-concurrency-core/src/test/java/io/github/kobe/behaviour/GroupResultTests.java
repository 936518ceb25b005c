package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GroupResultTests {

    private static final Exception FAILURE = new Exception("no");

    private static void requireResult(GroupResult<?> result, TaskStatus status, Object value, Throwable error) {
        assertThat(result.groupKey()).isEqualTo("a");
        assertThat(result.taskId()).isEqualTo("1");
        assertThat(result.status()).isEqualTo(status);
        assertThat(result.value()).isEqualTo(value);
        assertThat(result.error()).isSameAs(error);
        assertThat(result.startTimeNanos()).isEqualTo(10);
        assertThat(result.endTimeNanos()).isEqualTo(25);
        assertThat(result.rejectionReason()).isNull();
    }

    @Tag("G28")
    @Tag("G29")
    @Test
    void aSuccessHasAValueAndNoError() {
        requireResult(GroupResult.success("a", "1", "v", 10, 25), TaskStatus.SUCCESS, "v", null);
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
        requireResult(GroupResult.failed("a", "1", FAILURE, 10, 25), TaskStatus.FAILED, null, FAILURE);
    }

    @Tag("G28")
    @Tag("G29")
    @Test
    void aCancellationHasAnErrorAndNoValue() {
        requireResult(GroupResult.cancelled("a", "1", FAILURE, 10, 25), TaskStatus.CANCELLED, null, FAILURE);
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
    @Test
    void aResultWithoutTheErrorItNeedsIsRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> GroupResult.failed("a", "1", null, 0, 0))
                .withMessage("error");
        assertThatNullPointerException()
                .isThrownBy(() -> GroupResult.cancelled("a", "1", null, 0, 0))
                .withMessage("error");
    }

    @Tag("G28")
    @Test
    void resultsAreEqualIfAllThatTheyTellIs() {
        GroupResult<String> result = GroupResult.success("a", "1", "v", 10, 25);

        assertThat(result)
                .isEqualTo(GroupResult.success("a", "1", "v", 10, 25))
                .hasSameHashCodeAs(GroupResult.success("a", "1", "v", 10, 25))
                .hasToString("GroupResult[groupKey=a, taskId=1, status=SUCCESS, value=v, error=null, startTimeNanos=10,"
                        + " endTimeNanos=25, rejectionReason=null]")
                .isNotEqualTo(GroupResult.success("b", "1", "v", 10, 25))
                .isNotEqualTo(GroupResult.success("a", "2", "v", 10, 25))
                .isNotEqualTo(GroupResult.success("a", "1", "w", 10, 25))
                .isNotEqualTo(GroupResult.success("a", "1", "v", 11, 25))
                .isNotEqualTo(GroupResult.success("a", "1", "v", 10, 26))
                .isNotEqualTo(GroupResult.failed("a", "1", FAILURE, 10, 25));
        assertThat(GroupResult.failed("a", "1", FAILURE, 10, 25))
                .isNotEqualTo(GroupResult.cancelled("a", "1", FAILURE, 10, 25))
                .isNotEqualTo(GroupResult.failed("a", "1", new Exception("no"), 10, 25));
    }

    @Tag("G28")
    @Test
    void aResultNamesGroupAndTask() {
        assertThatNullPointerException().isThrownBy(() -> GroupResult.rejected(null, "1"));
        assertThatNullPointerException().isThrownBy(() -> GroupResult.rejected("a", null));
    }

    @Tag("G28")
    @Test
    void aRejectionMayNameItsReason() {
        GroupResult<String> result = GroupResult.rejected("a", "1", RejectionReason.QUEUE_TIMEOUT);

        assertThat(result.rejectionReason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(result).isEqualTo(GroupResult.rejected("a", "1", RejectionReason.QUEUE_TIMEOUT));
        assertThat(result).isNotEqualTo(GroupResult.rejected("a", "1"));
        assertThat(GroupResult.rejected("a", "1").rejectionReason()).isNull();
        assertThatNullPointerException().isThrownBy(() -> GroupResult.rejected("a", "1", null));
    }

    @Tag("G28")
    @Test
    void theValueOfASuccessIsGivenAlsoIfItIsNull() throws Exception {
        assertThat(GroupResult.success("a", "1", "v", 0, 0).valueOrThrow()).isEqualTo("v");
        assertThat(GroupResult.<String>success("a", "1", null, 0, 0).valueOrThrow())
                .isNull();
    }

    @Tag("G28")
    @Test
    void whatTheTaskThrewIsThrownInPlaceOfAValue() {
        for (Throwable thrown : List.of(FAILURE, new IllegalStateException("no"), new AssertionError("no"))) {
            GroupResult<String> result = GroupResult.failed("a", "1", thrown, 0, 0);

            assertThat(catchThrowable(result::valueOrThrow)).isSameAs(thrown);
        }
    }

    @Tag("G28")
    @Test
    void aThrowableThatIsNoExceptionAndNoErrorComesAsACause() {
        Throwable odd = new Throwable("odd");

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> GroupResult.failed("a", "1", odd, 0, 0).valueOrThrow())
                .havingCause()
                .isSameAs(odd);
    }

    @Tag("G28")
    @Test
    void aRejectionIsThrownWithItsReasonInPlaceOfAValue() {
        for (RejectionReason reason : RejectionReason.values()) {
            GroupResult<String> result = GroupResult.rejected("a", "1", reason);

            RejectedTaskException rejection = catchThrowableOfType(RejectedTaskException.class, result::valueOrThrow);

            assertThat(rejection.groupKey()).isEqualTo("a");
            assertThat(rejection.taskId()).isEqualTo("1");
            assertThat(rejection.reason()).isEqualTo(reason);
            assertThat(rejection.limit()).isNegative();
            assertThat(rejection.queued()).isNegative();
            assertThat(rejection.getMessage()).doesNotContain("-1");
        }
    }

    @Tag("G28")
    @Test
    void aRejectionWithoutAReasonIsStillARejection() {
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> GroupResult.rejected("a\n", "1\n").valueOrThrow())
                .withMessage("Task '1_' of group 'a_' was rejected");
    }

    @Tag("G28")
    @Test
    void aCancellationIsThrownInPlaceOfAValue() {
        CancellationException error = new CancellationException("by its handle");

        assertThat(catchThrowable(GroupResult.cancelled("a", "1", error, 0, 0)::valueOrThrow))
                .isSameAs(error);
    }

    @Tag("G28")
    @Tag("G33")
    @Tag("G34")
    @Test
    void anotherErrorOfACancellationIsTheCause() {
        for (Exception error : List.of(new InterruptedException(), new TimeoutException())) {
            assertThatExceptionOfType(CancellationException.class)
                    .isThrownBy(
                            () -> GroupResult.cancelled("a", "1", error, 0, 0).valueOrThrow())
                    .withMessageContaining("Task '1' of group 'a'")
                    .havingCause()
                    .isSameAs(error);
        }
    }
}
