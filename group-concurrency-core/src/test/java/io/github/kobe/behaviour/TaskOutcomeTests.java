package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("G37")
class TaskOutcomeTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private GroupExecutor start() {
        return engines.start(GroupPolicy.builder().build());
    }

    private static <T> Callable<T> throwing(Throwable thrown) {
        return () -> {
            throw sneaky(thrown);
        };
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    @Tag("G29")
    void aTaskThatReturnsIsASuccess() throws Exception {
        GroupResult<String> result = start().submit("a", "1", () -> "value").await();

        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isEqualTo("value");
        assertThat(result.error()).isNull();
    }

    @Test
    @Tag("G29")
    void aTaskMayReturnNull() throws Exception {
        GroupResult<String> result =
                start().<String>submit("a", "1", () -> null).await();

        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isNull();
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new Exception("checked"),
                new IllegalStateException("unchecked"),
                new AssertionError("error"),
                new StackOverflowError(),
                new OutOfMemoryError("as if"),
                new NoClassDefFoundError("x/Y"),
                new Throwable("neither"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    @Tag("P12")
    void whateverElseATaskThrowsItHasFailed(Throwable failure) throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = engines.watch(executor, executor.submit("a", "1", throwing(failure)));

        GroupResult<String> result = handle.await();

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(failure);
        assertThat(result.value()).isNull();
        assertThat(executor.submit("a", "2", () -> "next").await().value()).isEqualTo("next");
    }

    static Stream<Throwable> cancellations() {
        return Stream.of(new InterruptedException("own"), new CancellationException("own"));
    }

    @ParameterizedTest
    @MethodSource("cancellations")
    void aTaskThatThrowsACancellationIsCancelled(Throwable thrown) throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = engines.watch(executor, executor.submit("a", "1", throwing(thrown)));

        GroupResult<String> result = handle.await();

        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.error()).isSameAs(thrown);
        assertThat(executor.stats().totals().cancelled()).isEqualTo(1);
    }

    @Test
    void aTaskThatInterruptsItselfLeavesTheNextOneAlone() throws Exception {
        GroupExecutor executor = start();

        TaskHandle<String> first = executor.submit("a", "1", () -> {
            Thread.currentThread().interrupt();
            return "done";
        });
        TaskHandle<Boolean> second =
                executor.submit("a", "2", () -> Thread.currentThread().isInterrupted());

        assertThat(first.await().status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(second.await().value()).isFalse();
    }
}
