package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the JEP shows with joiners of one's own, by those that are there; the page on scopes has each in short. */
class ScopeExamplesTests extends ScopeTestCase {

    private static String failing() throws Exception {
        throw new Exception("no");
    }

    private static <T> List<T> successes(Scopes scopes, List<Callable<T>> tasks) throws InterruptedException {
        try (var scope = scopes.open(Joiner.<T>allUntil(subtask -> false))) {
            tasks.forEach(task -> scope.fork("a", task));
            return scope.join().stream()
                    .filter(subtask -> subtask.state() == Subtask.State.SUCCESS)
                    .map(Subtask::get)
                    .toList();
        }
    }

    @Tag("S40")
    @Test
    void theValuesOfThoseThatSucceedAreHadWhateverBecomesOfTheOthers() throws Exception {
        assertThat(successes(Scopes.of(executor(2)), List.of(() -> "x", ScopeExamplesTests::failing, () -> "y")))
                .containsExactly("x", "y");
    }

    private static <T> List<Future<T>> futures(Scopes scopes, List<Callable<T>> tasks) throws InterruptedException {
        try (var scope = scopes.open(Joiner.<T>allUntil(subtask -> false))) {
            tasks.forEach(task -> scope.fork("a", task));
            List<Future<T>> futures = new ArrayList<>();
            for (Subtask<T> subtask : scope.join()) {
                futures.add(
                        switch (subtask.state()) {
                            case SUCCESS -> CompletableFuture.completedFuture(subtask.get());
                            case FAILED -> CompletableFuture.failedFuture(subtask.exception());
                            case UNAVAILABLE -> CompletableFuture.failedFuture(new CancellationException());
                        });
            }
            return futures;
        }
    }

    @Tag("S41")
    @Test
    void allEndAsFutures() throws Exception {
        List<Future<String>> futures = futures(Scopes.of(executor(2)), List.of(() -> "x", ScopeExamplesTests::failing));

        assertThat(futures).allMatch(Future::isDone);
        assertThat(futures.getFirst().resultNow()).isEqualTo("x");
        assertThat(futures.getLast().exceptionNow()).hasMessage("no");
    }

    private static <T> List<T> runAll(Scopes scopes, List<Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        try (var scope = scopes.open(Joiner.<T>allSuccessfulOrThrow())) {
            tasks.forEach(task -> scope.fork("a", task));
            return scope.join();
        }
    }

    private static <T> T race(Scopes scopes, List<Callable<T>> tasks, Instant deadline)
            throws InterruptedException, ExecutionException {
        try (var scope = scopes.open(Joiner.<T>anySuccessfulOrThrow())) {
            tasks.forEach(task -> scope.fork("a", task));
            return scope.joinUntil(deadline);
        }
    }

    @Tag("S42")
    @Test
    void allAreRunOrTheFirstFailureIsThrown() throws Exception {
        Scopes scopes = Scopes.of(executor(2));

        assertThat(runAll(scopes, List.of(() -> 1, () -> 2, () -> 3))).containsExactly(1, 2, 3);
        assertThatThrownBy(() -> runAll(scopes, List.of(this::interrupted, ScopeExamplesTests::failing)))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .hasMessage("no");
    }

    @Tag("S42")
    @Test
    void aRaceHasAWinnerInTimeOrNone() throws Exception {
        Scopes scopes = Scopes.of(executor(3));

        List<Callable<String>> racers = List.of(this::interrupted, ScopeExamplesTests::failing, () -> "won");
        String winner = race(scopes, racers, Instant.now().plusSeconds(20));

        assertThat(winner).isEqualTo("won");
        assertThatThrownBy(() -> race(scopes, racers.subList(0, 2), Instant.now()))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(CancelledByTimeoutException.class);
    }

    @Tag("S43")
    @Test
    void aServerForksForWhateverComesInUntilItIsStoppedAndKeepsNothing() throws Exception {
        Scopes scopes = Scopes.of(executor(2)).withDefaults(ScopeSettings::withoutTimeout);
        Set<Integer> served = ConcurrentHashMap.newKeySet();
        AtomicReference<CancellationToken> stop = new AtomicReference<>();
        Caller<Long> server = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withMaxUnfinished(10))) {
                stop.set(scope.token());
                for (int i = 0; !scope.isCancelled(); i++) {
                    int request = i;
                    scope.fork("requests", () -> served.add(request % 1_000));
                }
                scope.join();
                return scope.totals().succeeded();
            }
        });

        Deadline.until("served", () -> served.size() == 1_000);
        stop.get().cancel();

        assertThat(server.result()).isGreaterThanOrEqualTo(1_000);
        assertThat(served).containsAll(IntStream.range(0, 1_000).boxed().toList());
        assertThat(scopes.live()).isEmpty();
    }
}
