package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.LimitSource;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What {@code maxInFlight} is where nobody sets it. */
@Tag("E4")
class FlightsAsManyAsRunTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final CompletableFuture<String> stage = new CompletableFuture<>();

    private List<TaskHandle<String>> submit(GroupExecutor executor, int count) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            handles.add(executor.submitAsync("a", () -> stage));
        }
        return handles;
    }

    private static void awaitOpen(GroupExecutor executor, int open, int queued) {
        Deadline.untilAsserted(() -> {
            assertThat(executor.stats().running()).isZero();
            assertThat(executor.stats().inFlight()).isEqualTo(open);
            assertThat(executor.stats().queued()).isEqualTo(queued);
        });
    }

    @Test
    void asManyStagesAreOpenAsTasksMayRun() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        List<TaskHandle<String>> handles = submit(executor, 5);

        awaitOpen(executor, 2, 3);

        stage.complete("done");
        for (TaskHandle<String> handle : handles) {
            assertThat(Deadline.within(handle::await).valueOrThrow()).isEqualTo("done");
        }
    }

    @Test
    void theNumberFollowsEveryChangeOfTheOther() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        submit(executor, 5);
        awaitOpen(executor, 1, 4);

        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(3));
        awaitOpen(executor, 3, 2);
        assertThat(executor.groupStats("a").orElseThrow().maxInFlight())
                .isEqualTo(new EffectiveLimit<>(3, LimitSource.OVERRIDDEN));

        executor.resetLimits("a");
        executor.updatePolicy(executor.policy().toBuilder()
                .pattern("a*", GroupLimits.unset().withMaxConcurrency(4))
                .build());
        awaitOpen(executor, 4, 1);
        assertThat(executor.groupStats("a").orElseThrow().maxInFlight())
                .isEqualTo(new EffectiveLimit<>(4, LimitSource.PATTERN));
        stage.complete("done");
    }

    @Test
    void whatTheResolverSaysIsTheNumberToo() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().concurrencyResolver(key -> 2).build());
        submit(executor, 3);

        awaitOpen(executor, 2, 1);

        assertThat(executor.groupStats("a").orElseThrow().maxInFlight())
                .isEqualTo(new EffectiveLimit<>(2, LimitSource.RESOLVER));
        assertThat(executor.policy().explain("a").maxInFlight()).isEmpty();
        stage.complete("done");
    }

    @Test
    void whoSetsTheNumberLiftsIt() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxInFlightPerGroup(Integer.MAX_VALUE)
                .build());
        submit(executor, 50);

        awaitOpen(executor, 50, 0);

        stage.complete("done");
    }
}
