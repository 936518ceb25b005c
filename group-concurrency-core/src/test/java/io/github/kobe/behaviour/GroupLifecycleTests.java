package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Gate;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Ending and forgetting one group. */
class GroupLifecycleTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private GroupExecutor start() {
        return engines.start(GroupPolicy.builder().build());
    }

    @Test
    @Tag("G43")
    void aGroupShutdownEndsWhatWaitsAndRunsInThatGroupOnly() throws Exception {
        GroupExecutor executor = start();
        AtomicInteger ran = new AtomicInteger();
        TaskHandle<String> running = executor.submit("a", "1", gate.then("done"));
        TaskHandle<Integer> queued = executor.submit("a", "2", ran::incrementAndGet);
        TaskHandle<String> other = executor.submit("b", "1", gate.then("other"));
        TaskHandle<String> otherQueued = executor.submit("b", "2", () -> "other");
        gate.awaitArrived(2);

        executor.shutdownGroup("a");

        assertThat(running.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(queued.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(other.isDone()).isFalse();
        assertThat(otherQueued.isDone()).isFalse();
        gate.open();
        assertThat(other.await().value()).isEqualTo("other");
        assertThat(otherQueued.await().value()).isEqualTo("other");
        assertThat(ran).hasValue(0);
    }

    @Test
    @Tag("G43")
    void theNextSubmitToAGroupThatWasShutDownWorks() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", gate.then("done"));
        gate.awaitArrived(1);

        executor.shutdownGroup("a");

        assertThat(executor.isShutdown()).isFalse();
        assertThat(executor.submit("a", "2", () -> "next").await().value()).isEqualTo("next");
    }

    @Test
    @Tag("G43")
    void whatStillRunsAfterAGroupShutdownCounts() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", gate.stubbornlyThen("done"));
        gate.awaitArrived(1);
        executor.shutdownGroup("a");

        TaskHandle<String> next = executor.submit("a", "2", () -> "next");

        assertThat(next.isDone()).isFalse();
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        gate.open();
        assertThat(next.await().value()).isEqualTo("next");
    }

    @Test
    @Tag("G43")
    void shuttingDownAnUnknownGroupDoesNothing() {
        GroupExecutor executor = start();

        executor.shutdownGroup("unknown");

        assertThat(executor.groupKeys()).isEmpty();
        assertThatNullPointerException().isThrownBy(() -> executor.shutdownGroup(null));
    }

    @Test
    @Tag("G44")
    void evictionForgetsOverrideAndTotals() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", () -> "done").await();
        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(7));

        executor.evictGroup("a");
        executor.submit("a", "2", () -> "done").await();

        GroupStats stats = executor.groupStats("a").orElseThrow();
        assertThat(stats.maxConcurrency()).isEqualTo(new EffectiveLimit<>(1, LimitSource.DEFAULT));
        assertThat(stats.overriddenSince()).isEmpty();
        assertThat(stats.totals().submitted()).isEqualTo(1);
        assertThat(executor.stats().totals().submitted()).isEqualTo(2);
    }

    @Test
    @Tag("G44")
    void evictionForgetsAPause() throws Exception {
        GroupExecutor executor = start();
        executor.pause("a");
        TaskHandle<String> waiting = executor.submit("a", "1", () -> "done");
        assertThat(waiting.isDone()).isFalse();

        executor.evictGroup("a");

        assertThat(waiting.await().value()).isEqualTo("done");
        assertThat(executor.groupStats("a").map(GroupStats::paused).orElse(false))
                .isFalse();
    }

    @Test
    @Tag("G44")
    @Tag("K2")
    void whatRunsCountsAfterAnEvictionAndWhatWaitsStaysQueued() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> running = executor.submit("a", "1", gate.then("one"));
        gate.awaitArrived(1);
        TaskHandle<String> queued = executor.submit("a", "2", () -> "two");

        executor.evictGroup("a");
        TaskHandle<String> later = executor.submit("a", "3", () -> "three");

        GroupStats stats = executor.groupStats("a").orElseThrow();
        assertThat(stats.running()).isEqualTo(1);
        assertThat(stats.queued()).isEqualTo(2);
        assertThat(queued.isDone()).isFalse();
        gate.open();
        assertThat(running.await().value()).isEqualTo("one");
        assertThat(queued.await().value()).isEqualTo("two");
        assertThat(later.await().value()).isEqualTo("three");
        assertThat(engines.witness(executor).started("a")).containsExactly("1", "2", "3");
    }

    @Test
    @Tag("G44")
    void evictingAnUnknownGroupDoesNothing() {
        GroupExecutor executor = start();

        executor.evictGroup("unknown");

        assertThat(executor.groupKeys()).isEmpty();
        assertThatNullPointerException().isThrownBy(() -> executor.evictGroup(null));
    }
}
