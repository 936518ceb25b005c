package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who decides over the global permits: nobody while there are plenty, the ledger while they are short. */
class GlobalPermitsTests {

    private static final Duration LOOK = Duration.ZERO;

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private static GroupPolicy limit(int global, int perGroup) {
        return GroupPolicy.builder()
                .globalMaxInFlight(global)
                .defaultMaxConcurrencyPerGroup(perGroup)
                .build();
    }

    private static boolean isDecidedByLedger(GroupExecutor executor) {
        return EngineAccess.engine(executor).ledger.isOn();
    }

    private static boolean isAttached(GroupExecutor executor, String key) {
        return Objects.requireNonNull(EngineAccess.engine(executor).groupIfKnown(key)).attached;
    }

    /** Uses the executor for a while in which nothing waits. */
    private static void useAtLeisure(GroupExecutor executor) throws Exception {
        for (int i = 0; i < 1_000; i++) {
            executor.call("leisure-" + i % 3, () -> "done");
        }
    }

    @Test
    @Tag("E2")
    void aLimitThatIsFarAwayTakesNoPart() throws Exception {
        GroupExecutor executor = engines.start(limit(200, 2));
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            handles.add(executor.submit("a", String.valueOf(i), gate.then("done")));
        }
        executor.call("b", () -> "done");

        assertThat(isDecidedByLedger(executor)).isFalse();
        assertThat(isAttached(executor, "a")).isFalse();
        gate.open();
        for (TaskHandle<String> handle : handles) {
            assertThat(handle.await().value()).isEqualTo("done");
        }
        assertThat(isDecidedByLedger(executor)).isFalse();
    }

    @Test
    @Tag("E2")
    void aLimitThatIsShortLetsGoWhenNothingNeedsItAnyMore() throws Exception {
        GroupExecutor executor = engines.start(limit(1, 2));
        executor.submit("a", "holder", gate.then("held"));
        TaskHandle<String> waiting = executor.submit("b", "waiting", () -> "done");

        assertThat(isDecidedByLedger(executor)).isTrue();
        gate.open();
        assertThat(waiting.await().value()).isEqualTo("done");
        useAtLeisure(executor);

        assertThat(isDecidedByLedger(executor)).isFalse();
        executor.call("b", () -> "done");
        assertThat(isAttached(executor, "b")).isFalse();
    }

    @Test
    @Tag("W1")
    void whatIsResumedWithoutAGlobalPermitStartsWhenOneComesBack() throws Exception {
        GroupExecutor executor = engines.start(limit(1, 2));
        executor.pause("a");
        TaskHandle<String> paused = executor.submit("a", "paused", () -> "done");
        executor.submit("b", "holder", gate.then("held"));

        executor.resume("a");
        gate.open();

        assertThat(Deadline.within(paused::await).value()).isEqualTo("done");
    }

    @Test
    @Tag("W1")
    void aPermitThatComesBackToAGroupWithRoomStartsWhatWaitsInAnother() throws Exception {
        GroupExecutor executor = engines.start(limit(1, 2));
        executor.submit("a", "holder", gate.then("held"));
        TaskHandle<String> waiting = executor.submit("b", "waiting", () -> "done");

        gate.open();

        assertThat(Deadline.within(waiting::await).value()).isEqualTo("done");
    }

    @Test
    @Tag("W7")
    void aBusyGroupDoesNotPassItsPermitOnPastTheOthers() throws Exception {
        GroupExecutor executor = engines.start(limit(2, 1));
        List<String> order = new CopyOnWriteArrayList<>();
        Gate other = new Gate();
        executor.submit("a", "a1", gate.then("held"));
        executor.submit("c", "c1", other.then("held"));
        executor.submit("a", "a2", () -> order.add("a2"));
        executor.submit("a", "a3", () -> order.add("a3"));
        executor.submit("b", "b1", () -> order.add("b1"));

        gate.open();
        Deadline.until("three have run", () -> order.size() == 3);
        other.open();

        assertThat(order).containsExactly("b1", "a2", "a3");
    }

    @Test
    @Tag("I3")
    void whoWaitsForQuietTakesNoPermitAway() throws Exception {
        GroupExecutor executor = engines.start(limit(2, 2));
        executor.submit("a", "holder", gate.then("held"));

        assertThat(executor.awaitQuiet(LOOK)).isFalse();

        assertThat(Deadline.within(() -> executor.submit("b", "1", () -> "done").await())
                        .value())
                .isEqualTo("done");
        gate.open();
    }

    @Test
    @Tag("I1")
    void theFirstLimitCountsWhatRunsAlready() throws Exception {
        GroupExecutor executor = engines.start(limit(Integer.MAX_VALUE, 2));
        executor.submit("a", "1", gate.then("held"));
        executor.submit("b", "1", gate.then("held"));
        gate.awaitArrived(2);

        executor.updatePolicy(engines.witnessed(executor, limit(2, 2)));
        TaskHandle<String> third = executor.submit("c", "1", () -> "done");

        assertThat(third.isDone()).isFalse();
        assertThat(executor.stats().queued()).isEqualTo(1);
        gate.open();
        assertThat(Deadline.within(third::await).value()).isEqualTo("done");
    }

    @Test
    @Tag("I1")
    void aLimitBelowWhatRunsStartsNothingUntilEnoughHasEnded() throws Exception {
        GroupExecutor executor = engines.start(limit(8, 4));
        Gate first = new Gate();
        executor.submit("a", "1", first.then("held"));
        for (int i = 0; i < 3; i++) {
            executor.submit("b", String.valueOf(i), gate.then("held"));
        }
        first.awaitArrived(1);
        gate.awaitArrived(3);
        executor.updatePolicy(engines.witnessed(executor, limit(2, 4)));
        TaskHandle<String> waiting = executor.submit("c", "1", () -> "done");

        first.open();
        Deadline.until("the first has ended", () -> executor.stats().inFlight() == 3);
        useNothing(executor);

        assertThat(waiting.isDone()).isFalse();
        assertThat(isDecidedByLedger(executor)).isTrue();
        gate.open();
        assertThat(Deadline.within(waiting::await).value()).isEqualTo("done");
    }

    /** Asks in vain, often enough that the ledger would let go if it thought that nothing needs it. */
    private static void useNothing(GroupExecutor executor) throws InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            assertThat(executor.tryAcquire("d", LOOK)).isEmpty();
        }
    }
}
