package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an await tells, and that the scope goes on after it. */
class AwaitRoundsTests extends ScopeTestCase {

    private static String failing(String message) {
        throw new IllegalStateException(message);
    }

    @Tag("T16")
    @Test
    void aSubtaskCannotBeWaitedForByItself() {
        assertThat(Arrays.stream(Subtask.class.getMethods())
                        .filter(method -> Arrays.asList(method.getExceptionTypes())
                                        .contains(InterruptedException.class)
                                || Arrays.asList(method.getParameterTypes()).contains(TimeUnit.class))
                        .map(Method::getName))
                .isEmpty();
        assertThat(Subtask.class).isAssignableTo(Supplier.class);
        assertThat(Future.class.isAssignableFrom(Subtask.class)).isFalse();
    }

    @Tag("T22")
    @Test
    void anOutcomeCountsEachEndAndNamesTheFailuresInTheOrderOfItsInput() throws Exception {
        try (var scope = Scopes.of(executor(4)).open(Joiner.<String>awaitAll())) {
            Subtask<String> cancelled = scope.fork("a", this::interrupted);
            Subtask<String> late = scope.fork("a", () -> {
                gate.pass();
                return failing("first of the input");
            });
            Subtask<String> early = scope.fork("a", () -> failing("second of the input"));
            Subtask<String> ended = scope.fork("a", () -> "x");
            gate.awaitArrived(2);
            scope.await(early);
            cancelled.cancel();
            gate.open();

            Outcome outcome = scope.await(late, cancelled, ended, early);

            assertThat(outcome.total()).isEqualTo(4);
            assertThat(outcome.succeeded()).isEqualTo(1);
            assertThat(outcome.cancelled()).isEqualTo(1);
            assertThat(outcome.failures())
                    .extracting(Throwable::getMessage)
                    .containsExactly("first of the input", "second of the input");
            scope.join();
        }
    }

    @Tag("T23")
    @Test
    void anAwaitNeitherEndsTheScopeNorWaitsForOtherForks() throws Exception {
        try (var scope = Scopes.of(executor(1)).open(Joiner.<String>allSuccessfulOrThrow())) {
            Subtask<String> other = scope.fork("other", gate.then("other"));
            Subtask<String> first = scope.fork("a", () -> "first");

            assertThat(scope.await(first).succeeded()).isEqualTo(1);
            assertThat(scope.await(first).succeeded()).as("again").isEqualTo(1);
            assertThat(scope.isCancelled()).isFalse();
            assertThat(other.phase()).isNotEqualTo(Subtask.Phase.SUCCESS);
            Subtask<String> second = scope.fork("a", () -> first.get() + ", second");
            assertThat(scope.valuesOf(List.of(second))).containsExactly("first, second");
            gate.open();

            assertThat(scope.join()).containsExactly("other", "first", "first, second");
        }
    }

    @Tag("T24")
    @Test
    void whatWasAwaitedCanBeReadAndWhatWasNotCannot() throws Exception {
        try (var scope = Scopes.of(executor(2)).open(Joiner.<String>awaitAll())) {
            Subtask<String> awaited = scope.fork("a", () -> "x");
            Subtask<String> failed = scope.fork("a", () -> failing("no"));
            Subtask<String> other = scope.fork("a", () -> "y");
            scope.await(awaited, failed);

            assertThat(awaited.get()).isEqualTo("x");
            assertThat(failed.exception()).hasMessage("no");
            assertThatThrownBy(other::get).isInstanceOf(IllegalStateException.class);

            scope.join();
            assertThat(other.get()).isEqualTo("y");
        }
    }
}
