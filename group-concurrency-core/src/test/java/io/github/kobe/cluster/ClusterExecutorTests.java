package io.github.kobe.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.scope.Scopes;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Executors of one JVM that share limits, as applications use them: with threads, clocks and a store of their own. */
@Timeout(60)
class ClusterExecutorTests extends SharingExecutors {

    private final ClusterStore store = ClusterStore.inMemory();

    @Override
    protected ClusterSettings settings() {
        return ClusterSettings.of(store);
    }

    @Override
    protected void closeStores() {
        store.close();
    }

    private static List<String> toldAtTheStart(GroupPolicy.Builder policy, ClusterSettings settings) throws Exception {
        try (CapturedLog log = CapturedLog.open()) {
            GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy.build(), settings);
            Deadline.until(
                    "it has told that the store answers",
                    () -> log.infos().stream().anyMatch(line -> line.contains(", which answers")));
            Deadline.within(() -> {
                executor.close();
                return true;
            });
            return log.infos();
        }
    }

    @Test
    void theLogTellsWhichNumbersOneInstanceCannotUseInFull() throws Exception {
        GroupLimits shared = GroupLimits.unset().withClusterMaxInFlight(20);
        List<String> told = toldAtTheStart(
                GroupPolicy.builder()
                        .defaults(shared.withMaxConcurrency(19))
                        .group("a", GroupLimits.unset().withMaxConcurrency(4))
                        .group("b", GroupLimits.unset().withMaxConcurrency(20))
                        .pattern("c:*", GroupLimits.unset().withClusterMaxInFlight(19))
                        .pattern(
                                "d:*", GroupLimits.unset().withMaxConcurrency(5).withMaxInFlight(6)),
                ClusterSettings.of(store));

        assertThat(told)
                .anyMatch(
                        line -> line.contains("A group 'a' may have 20 in flight over all instances and 4 in this one")
                                && line.contains("all 20 are reached from 5 instances on. So it is with 2 more"))
                .anyMatch(
                        line -> line.contains(" shares limits with others by ClusterStore.inMemory(), which answers"));
    }

    @Test
    void theLogTellsNothingOfNumbersThatOneInstanceCanUse() throws Exception {
        List<String> told = toldAtTheStart(
                GroupPolicy.builder()
                        .pattern("tenant:*", GroupLimits.unset().withClusterMaxInFlight(20))
                        .group("own", GroupLimits.unset().withMaxConcurrency(4)),
                ClusterSettings.of(store));

        assertThat(told).noneMatch(line -> line.contains("in this one"));
    }

    @Test
    void whatIsNotInUseMayGoBackAtOnce() throws Exception {
        GroupExecutor executor = join(
                GroupPolicy.builder()
                        .group(KEY, GroupLimits.unset().withClusterMaxInFlight(1))
                        .build(),
                settings().withIdleReturn(Duration.ofNanos(1)));

        assertThat(Deadline.within(() -> executor.call(KEY, this::work))).isEqualTo("done");
        assertThat(Deadline.within(() -> executor.call(KEY, this::work))).isEqualTo("done");
    }

    @Test
    void callsPermitsAndScopesShareItToo() throws Exception {
        GroupExecutor one = join();
        GroupExecutor two = join();
        Gate gate = new Gate();
        TaskHandle<String> task = one.submit(KEY, gate.then("done"));
        try (GroupPermit permit = Deadline.within(() -> one.acquire(KEY))) {
            assertThat(permit.groupKey()).isEqualTo(KEY);
            assertThat(Deadline.within(() -> two.call(KEY, this::work))).isEqualTo("done");
            assertThat(Deadline.within(() -> Scopes.of(two).map(KEY, List.of(1, 2, 3), item -> work())))
                    .hasSize(3);
            assertThat(most()).isEqualTo(1);
        }
        gate.open();
        assertThat(Deadline.within(task::await).value()).isEqualTo("done");
    }

    @Test
    @Tag("CL4")
    void whatTheCallerRunsCountsNowhere() throws Exception {
        GroupPolicy policy = GroupPolicy.builder()
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .group(KEY, GroupLimits.unset().withClusterMaxInFlight(1).withQueueThreshold(1))
                .build();
        GroupExecutor executor = join(policy, settings());
        Gate gate = new Gate();
        TaskHandle<String> runs = executor.submit(KEY, gate.then("done"));
        gate.awaitArrived(1);
        TaskHandle<String> waits = executor.submit(KEY, () -> "done");
        TaskHandle<Integer> byTheCaller = executor.submit(
                KEY, () -> executor.groupStats(KEY).orElseThrow().inFlight());

        assertThat(byTheCaller.isDone()).isTrue();
        assertThat(byTheCaller.await().value()).isEqualTo(1);
        gate.open();
        assertThat(Deadline.within(runs::await).value()).isEqualTo("done");
        assertThat(Deadline.within(waits::await).value()).isEqualTo("done");
    }

    @Test
    @Tag("CL41")
    void whatOneGivesBackAnotherHas() throws Exception {
        GroupExecutor one = join();
        Gate gate = new Gate();
        for (int i = 0; i < 3; i++) {
            var unused = one.submit(KEY, gate.then("held"));
        }
        gate.awaitArrived(3);
        GroupExecutor two = join();
        TaskHandle<String> waiting = two.submit(KEY, this::work);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> Deadline.within(() -> two.call(KEY, "call", Duration.ofMillis(100), this::work)));
        assertThat(waiting.isDone()).isFalse();
        one.shutdown();
        assertThat(Deadline.within(waiting::await).value()).isEqualTo("done");
    }

    @Test
    void otherGroupsKnowNothingOfIt() throws Exception {
        GroupExecutor executor = join(ClusterSettings.of(new Broken(false)));

        assertThat(Deadline.within(() -> executor.call("own", this::work))).isEqualTo("done");
    }

    // ---- a store that is broken

    @Test
    @Tag("CL58")
    void aStoreThatThrowsKeepsWorkFromStartingAndNothingElse() {
        assertNothingStarts(new Broken(true));
    }

    @Test
    @Tag("CL56")
    void aStoreThatAlwaysFailsKeepsWorkFromStartingAndNothingElse() {
        assertNothingStarts(new Broken(false));
    }

    @Test
    @Tag("CL68")
    void aStoreThatDoesNotSayWhoHasWhatIsGivenUpWithAReason() {
        Broken silent = new Broken(false) {
            @Override
            public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
                return new CompletableFuture<>();
            }
        };
        Cluster cluster = join(ClusterSettings.of(silent)).cluster().orElseThrow();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> Deadline.within(
                        () -> cluster.look(KEY).toCompletableFuture().get()))
                .havingCause()
                .isInstanceOf(TimeoutException.class)
                .withMessage("it has not answered within 2.0 s");
    }

    @Test
    @Tag("CL68")
    void theLogHasTheFailureOfAStoreOfWhichTheReasonIsShown() {
        Logger logger = Logger.getLogger(GroupExecutor.class.getName());
        logger.setLevel(Level.FINE);
        try (CapturedLog log = CapturedLog.open()) {
            Broken mute = new Broken(false, null);
            Cluster cluster = join(ClusterSettings.of(mute)).cluster().orElseThrow();

            Deadline.until("it is asked again and again", () -> mute.asked.get() > 2);
            assertThat(cluster.state().reason()).contains("it gives no reason");
            assertThat(log.all()).contains("The store of the limits over all instances gave no answer.");
        } finally {
            logger.setLevel(null);
        }
    }

    @Test
    void aStoreNeedNotKeepWhoListenedForAnExecutorThatHasEnded() {
        Broken broken = new Broken(false);
        join(ClusterSettings.of(broken));
        GroupExecutor ended = join(ClusterSettings.of(broken));
        assertThat(broken.listeners).hasSize(2);

        ended.shutdown();

        Deadline.until("one listens", () -> broken.listeners.size() == 1);
    }

    private void assertNothingStarts(Broken broken) {
        GroupExecutor executor = join(ClusterSettings.of(broken));

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> Deadline.within(() -> executor.call(KEY, "call", Duration.ofMillis(500), this::work)))
                .withMessageContaining("CLUSTER_LIMIT");
        Deadline.until("it is asked again and again", () -> broken.asked.get() > 2);
        assertThat(most()).isZero();
    }

    private static class Broken implements ClusterStore {

        private final boolean throwing;
        private final @Nullable String message;
        private final AtomicInteger asked = new AtomicInteger();
        private final Set<Consumer<Hint>> listeners = ConcurrentHashMap.newKeySet();

        private Broken(boolean throwing) {
            this(throwing, "broken");
        }

        private Broken(boolean throwing, @Nullable String message) {
            this.throwing = throwing;
            this.message = message;
        }

        @Override
        public CompletionStage<Answer> exchange(Statement statement) {
            asked.incrementAndGet();
            IllegalStateException failure = new IllegalStateException(message);
            if (throwing) {
                throw failure;
            }
            return CompletableFuture.failedStage(failure);
        }

        @Override
        public Runnable onHint(Consumer<Hint> listener) {
            listeners.add(listener);
            return () -> listeners.remove(listener);
        }

        @Override
        public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
            return CompletableFuture.completedStage(List.of());
        }

        @Override
        public void close() {
            // It has nothing.
        }
    }
}
