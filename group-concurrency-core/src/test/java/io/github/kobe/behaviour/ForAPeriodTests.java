package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Reports;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pauses and limits that end by themselves. */
@Tag("E9")
class ForAPeriodTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Reports reports = new Reports();

    private GroupExecutor start() {
        return engines.start(GroupPolicy.builder().build(), reports.with(clock));
    }

    private static GroupLimits atOnce(int number) {
        return GroupLimits.unset().withMaxConcurrency(number);
    }

    private static GroupStats stats(GroupExecutor executor) {
        return executor.groupStats("a").orElseThrow();
    }

    /** What ends by then has ended. */
    private void pass(GroupExecutor executor, Duration time) {
        clock.advance(time, executor);
        reports.awaitEnd();
    }

    @Test
    void aPauseEndsByItselfAndWhatWaitsBegins() throws Exception {
        GroupExecutor executor = start();
        executor.pause("a", MINUTE);
        TaskHandle<String> waits = executor.submit("a", "1", () -> "done");
        assertThat(stats(executor).pauseEndsIn()).contains(MINUTE);

        pass(executor, MINUTE.minusNanos(1));
        assertThat(waits.isDone()).isFalse();
        assertThat(stats(executor).paused()).isTrue();
        pass(executor, Duration.ofNanos(1));

        assertThat(waits.await().value()).isEqualTo("done");
        assertThat(stats(executor).paused()).isFalse();
        assertThat(stats(executor).pauseEndsIn()).isEmpty();
    }

    @Test
    void anUpdateToNothingOfAGroupWithoutLimitsOfItsOwnIsDoneAtOnce() {
        GroupExecutor executor = start();
        AtomicInteger asked = new AtomicInteger();

        executor.updateLimits(
                "a",
                limits -> {
                    assertThat(asked.incrementAndGet()).isEqualTo(1);
                    return limits;
                },
                MINUTE);

        assertThat(asked).hasValue(1);
        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    void limitsForAPeriodThatAreSetOnceMoreWithoutOneStay() {
        GroupExecutor executor = start();
        executor.setLimits("a", atOnce(5), MINUTE);

        executor.updateLimits("a", limits -> limits.withMaxConcurrency(5));

        assertThat(stats(executor).overrideEndsIn()).isEmpty();
        pass(executor, HOUR);
        assertThat(stats(executor).maxConcurrency().value()).isEqualTo(5);
    }

    @Test
    void aLaterPauseOnlyExtends() {
        GroupExecutor executor = start();
        executor.pause("a", HOUR);
        executor.pause("a", MINUTE);
        assertThat(stats(executor).pauseEndsIn()).contains(HOUR);

        executor.pause("a");
        assertThat(stats(executor).pauseEndsIn()).isEmpty();
        executor.pause("a", MINUTE);
        pass(executor, HOUR.multipliedBy(2));
        assertThat(stats(executor).paused()).as("nothing ends it").isTrue();
        executor.resume("a");
    }

    @Test
    void whatWasResumedAndPausedAnewHasItsOwnEnd() {
        GroupExecutor executor = start();
        executor.pause("a", MINUTE);
        executor.resume("a");
        executor.pause("a", HOUR);

        pass(executor, MINUTE);
        assertThat(stats(executor).pauseEndsIn()).contains(HOUR.minus(MINUTE));
        pass(executor, HOUR);
        assertThat(stats(executor).paused()).isFalse();
    }

    @Test
    void limitsAreResetByThemselvesUnlessTheyWereSetAnew() {
        GroupExecutor executor = start();
        executor.setLimits("a", atOnce(5), MINUTE);
        assertThat(stats(executor).maxConcurrency().value()).isEqualTo(5);
        assertThat(stats(executor).overrideEndsIn()).contains(MINUTE);
        pass(executor, MINUTE);
        assertThat(stats(executor).maxConcurrency().value()).isEqualTo(1);

        executor.setLimits("a", atOnce(5), MINUTE);
        executor.updateLimits("a", limits -> limits.withWeight(2));
        pass(executor, HOUR);
        assertThat(stats(executor).maxConcurrency().value()).isEqualTo(5);
        executor.updateLimits("a", limits -> limits, MINUTE);
        assertThat(stats(executor).overrideEndsIn()).contains(MINUTE);
        pass(executor, MINUTE);
        assertThat(executor.overrideOf("a")).isEmpty();
    }

    @Test
    void whatIsSetOnlyAfterItsEndHasComeEndsAllTheSame() {
        GroupExecutor[] executor = new GroupExecutor[1];
        AtomicInteger asked = new AtomicInteger();
        executor[0] = engines.start(
                GroupPolicy.builder()
                        .limitsResolver(key -> {
                            if (asked.incrementAndGet() == 1) {
                                pass(executor[0], HOUR); // a database that is away
                            }
                            return Optional.of(atOnce(2));
                        })
                        .build(),
                clock);

        executor[0].setLimits("a", atOnce(5), MINUTE);

        Deadline.until("it is reset", () -> stats(executor[0]).maxConcurrency().value() == 2);
    }

    @Test
    void aPeriodOfCenturiesIsForEver() {
        GroupExecutor executor = start();
        pass(executor, HOUR);
        executor.pause("a", Duration.ofNanos(Long.MAX_VALUE - 1));

        pass(executor, HOUR);

        assertThat(stats(executor).paused()).isTrue();
        assertThat(stats(executor).pauseEndsIn()).isEmpty();
    }

    @Test
    void whatWasEvictedMeanwhileEndsNothing() {
        GroupExecutor executor = start();
        executor.pause("a", MINUTE);
        executor.evictGroup("a");
        executor.pause("a");

        pass(executor, HOUR);

        assertThat(stats(executor).paused()).isTrue();
        executor.resume("a");
    }

    @Test
    void aPeriodIsMoreThanZero() {
        GroupExecutor executor = start();
        for (Duration period : new Duration[] {Duration.ZERO, Duration.ofNanos(-1)}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.pause("a", period))
                    .withMessageContaining("more than zero");
            assertThatIllegalArgumentException().isThrownBy(() -> executor.setLimits("a", atOnce(2), period));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.updateLimits("a", limits -> atOnce(2), period));
        }
        assertThat(executor.groupKeys()).isEmpty();
    }
}
