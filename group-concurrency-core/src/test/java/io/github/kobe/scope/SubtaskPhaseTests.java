package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.scope.Subtask.Phase;
import io.github.kobe.scope.Subtask.State;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SubtaskPhaseTests extends ScopeTestCase {

    @Tag("S26")
    @Test
    void stateAndPhaseAreToldAtOnceWhileTheJoinerIsAsked() throws Exception {
        Gate asked = new Gate();
        Joiner<String, Void, RuntimeException> slow = new Joiner<>() {
            @Override
            public boolean onComplete(Subtask<String> subtask) {
                asked.passStubbornly();
                return false;
            }

            @Override
            public Void result() {
                return null;
            }

            @Override
            public Void timeout() {
                return null;
            }
        };
        try (var scope = Scopes.of(executor(1)).open(slow)) {
            Subtask<String> ended = scope.fork("a", () -> "x");
            Subtask<String> waiting = scope.fork("a", () -> "y");
            asked.awaitArrived(1);

            assertThat(List.of(ended.state(), waiting.state())).containsExactly(State.SUCCESS, State.UNAVAILABLE);
            assertThat(List.of(ended.phase(), waiting.phase())).containsExactly(Phase.SUCCESS, Phase.QUEUED);
            asked.open();
            scope.join();
        }
    }

    @Tag("S30")
    @Test
    void afterJoinEachForkHasOneOfThreeEndsForGood() throws Exception {
        List<Subtask<String>> all = new ArrayList<>();
        try (var scope = Scopes.of(executor(2)).open(Joiner.<String>awaitAll())) {
            all.add(scope.fork("a", () -> "x"));
            all.add(scope.fork("a", () -> {
                throw new IllegalStateException("no");
            }));
            scope.await(all);
            all.add(scope.fork("a", this::interrupted));
            all.add(scope.fork(ForkOptions.in("a").withStartAfter(Duration.ofDays(1)), () -> "never"));
            gate.awaitArrived(1);
            scope.cancel();
            scope.join();
            assertEnds(all);
        }
        assertEnds(all);
    }

    private static void assertEnds(List<Subtask<String>> all) {
        assertThat(all)
                .extracting(Subtask::phase)
                .containsExactly(Phase.SUCCESS, Phase.FAILED, Phase.CANCELLED, Phase.CANCELLED);
        assertThat(all)
                .extracting(Subtask::state)
                .containsExactly(State.SUCCESS, State.FAILED, State.UNAVAILABLE, State.UNAVAILABLE);
    }
}
