package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Cases of the tests of Jox, by their names there. ≠: to cancel waits for nothing here; the scope's close does. */
class JoxCasesTests {

    @RegisterExtension
    static final OwnerThread OWNER = OwnerThread.VIRTUAL;

    @RegisterExtension
    final Engines engines = new Engines();

    private final GroupExecutor executor = engines.start(GroupPolicy.builder()
            .group("a", GroupLimits.unset().withMaxConcurrency(10))
            .build());

    private final Scopes scopes = Scopes.of(executor).withDefaults(settings -> settings.withGroup("a"));

    private final List<String> trail = new CopyOnWriteArrayList<>();
    private final Gate started = new Gate();
    private final Gate ended = new Gate();

    @Test
    void testCancelBlocksUntilForkCompletes() throws Exception {
        try (var scope = scopes.open(Joiner.awaitAll())) {
            Subtask<Object> fork = scope.fork(this::endAfterAnInterrupt);
            started.awaitArrived(1);

            assertThat(fork.cancel()).isTrue();
            ended.awaitArrived(1);
            trail.add("cancel done");
            ended.open();

            scope.join();
        }
        assertThat(trail).containsExactly("interrupted", "cancel done", "interrupted done");
    }

    /** Some are cancelled before they start, and never do. */
    @Tag("S15")
    @RepeatedTest(20)
    void testCancelBlocksUntilForkCompletesStressTest() throws Exception {
        ended.open();
        try (var scope = scopes.open(Joiner.awaitAll())) {
            scope.fork(this::endAfterAnInterrupt).cancel();
            scope.join();
        }
        List<String> atTheEnd = List.copyOf(trail);
        assertThat(atTheEnd).isIn(List.of(), List.of("interrupted", "interrupted done"));
        assertThat(executor.stats().running()).isZero();
    }

    @Test
    void testCancelNowReturnsImmediatelyAndWaitForForksWhenScopeCompletes() throws Exception {
        try (var scope = scopes.open(Joiner.awaitAll())) {
            scope.fork(this::endAfterAnInterrupt);
            started.awaitArrived(1);

            scope.cancel();
            trail.add("cancel done");
            ended.open();

            assertThat(scope.join()).isNull();
        }
        assertThat(trail).contains("cancel done", "interrupted").endsWith("interrupted done");
    }

    @Test
    void testRaceReturnsFirstSuccessfulComputationToComplete() throws Exception {
        Gate slow = new Gate();
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            Subtask<String> boom = scope.fork(() -> {
                throw new IllegalStateException("boom!");
            });
            scope.fork(slow.then("slow"));
            scope.fork(new Gate().then("very slow"));
            Deadline.until("failed", () -> boom.state() == Subtask.State.FAILED);
            slow.open();

            assertThat(scope.join()).isEqualTo("slow");
        }
    }

    private Object endAfterAnInterrupt() throws InterruptedException {
        try {
            started.pass();
            return "not interrupted";
        } catch (InterruptedException e) {
            trail.add("interrupted");
            ended.passStubbornly();
            trail.add("interrupted done");
            throw e;
        }
    }
}
