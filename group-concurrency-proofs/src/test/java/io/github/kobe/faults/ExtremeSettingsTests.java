package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Waits;
import io.github.kobe.audit.Witness;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits and durations at the ends of their ranges. After each, the audit, and the executor works. */
class ExtremeSettingsTests {

    private static final Duration CENTURY = Duration.ofDays(36_525);
    private static final int MAX = Integer.MAX_VALUE;

    /** What can be done at any limits. */
    private static final Set<Ways> WAYS = EnumSet.of(
            Ways.SUBMIT,
            Ways.SUBMIT_A_TASK,
            Ways.SUBMIT_AND_CANCEL,
            Ways.SUBMIT_A_STAGE,
            Ways.AWAIT,
            Ways.FUTURE_GET,
            Ways.EXECUTE_ALL,
            Ways.VIEW_GET,
            Ways.STARTED_BY_A_PERMIT_GIVEN_BACK,
            Ways.STARTED_BY_A_RESUME,
            Ways.A_STAGE,
            Ways.CANCELLED_IN_THE_QUEUE,
            Ways.CANCELLED_WHILE_IT_RUNS,
            Ways.A_VIEW,
            Ways.EVICTED);

    @RegisterExtension
    final Engines engines = new Engines();

    static Stream<Arguments> settings() {
        return Stream.of(
                arguments("largest concurrency", builder().defaultMaxConcurrencyPerGroup(MAX)),
                arguments("smallest flight", builder().defaultMaxInFlightPerGroup(1)),
                arguments("smallest global flight", builder().globalMaxInFlight(1)),
                arguments("one less than no global limit", builder().globalMaxInFlight(MAX - 1)),
                arguments("no queue", builder().defaultQueueThresholdPerGroup(0)),
                arguments("a queue of one", builder().defaultQueueThresholdPerGroup(1)),
                arguments("no global queue", builder().globalQueueThreshold(0)),
                arguments("a global queue of one", builder().globalQueueThreshold(1)),
                arguments("one less than no bound", builder().globalQueueThreshold(MAX - 1)),
                arguments("smallest weight", builder().globalMaxInFlight(2).defaults(limits().withWeight(1))),
                arguments("largest weight", builder().globalMaxInFlight(2).defaults(limits().withWeight(1_000))),
                arguments("shortest queue time-out", builder().queueTimeout(Duration.ofNanos(1))),
                arguments("nearly a century of queueing", builder().queueTimeout(CENTURY.minusNanos(1))),
                arguments("longest queue time-out", builder().queueTimeout(longest())),
                arguments("no idle groups", builder().maxIdleGroups(0)),
                arguments("any number of idle groups", builder().maxIdleGroups(MAX)),
                arguments("shortest idle time-out", builder().idleTimeout(Duration.ofNanos(1))),
                arguments("longest idle time-out", builder().idleTimeout(longest())),
                arguments(
                        "everything off",
                        builder()
                                .defaultMaxConcurrencyPerGroup(MAX)
                                .globalMaxInFlight(MAX)
                                .idleTimeout(longest())
                                .queueTimeout(longest())));
    }

    private static GroupPolicy.Builder builder() {
        return GroupPolicy.builder().rejectionPolicy(RejectionPolicy.DISCARD);
    }

    private static GroupLimits limits() {
        return GroupLimits.unset();
    }

    private static Duration longest() {
        return Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    @Tag("G9")
    void theEngineWorksAtTheEndsOfEachRange(String name, GroupPolicy.Builder builder) throws Exception {
        GroupExecutor executor = engines.start(builder.build());
        Workload workload = new Workload(engines, executor);
        for (Ways way : WAYS) {
            workload.take(way);
        }
        Workload.requireWorking(executor);
    }

    @Test
    @Tag("E9")
    void aLimitThatGoesFromEndToEndWithPermitsOutKeepsTheCount() throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        Witness witness = engines.witness(executor);
        for (int limit : new int[] {MAX, 1, MAX, MAX - 1, 2, 1}) {
            witness.changing(
                    "a",
                    limit,
                    limit,
                    () -> executor.setLimits(
                            "a", limits().withMaxConcurrency(limit).withMaxInFlight(limit)));
            GroupPermit permit = executor.acquire("a");
            assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
            witness.changing(
                    "a",
                    1,
                    1,
                    () -> executor.setLimits("a", limits().withMaxConcurrency(1).withMaxInFlight(1)));
            assertThat(executor.tryAcquire("b", Duration.ZERO)).hasValueSatisfying(GroupPermit::close);
            assertThat(executor.acquireAsync("a").toCompletableFuture().cancel(true))
                    .isTrue();
            permit.close();
        }
    }

    // ---------------------------------------------------------------- durations

    static Stream<Duration> noTime() {
        return Stream.of(
                Duration.ofNanos(1),
                Duration.ZERO,
                Duration.ofNanos(-1),
                CENTURY.negated(),
                Duration.ofSeconds(Long.MIN_VALUE));
    }

    static Stream<Duration> muchTime() {
        return Stream.of(CENTURY.minusNanos(1), CENTURY, Duration.ofSeconds(Long.MAX_VALUE), longest());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("noTime")
    @Tag("E5")
    @Tag("E14")
    void noTimeToWaitIsSoonUp(Duration time) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> waits = executor.submit("a", "waits", () -> "done");
        long nanos = time.compareTo(CENTURY.negated()) <= 0 ? Long.MIN_VALUE : time.toNanos();
        ExecutorService view = executor.asExecutorService("a");

        Deadline.within(() -> {
            assertThat(executor.tryAcquire("a", time)).isEmpty();
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.call("a", time, () -> "no"))
                    .matches(rejection -> rejection.reason() == RejectionReason.QUEUE_TIMEOUT);
            assertThat(executor.awaitQuiet(time)).isFalse();
            assertThat(executor.awaitTermination(time)).isFalse();
            assertThat(waits.await(nanos, TimeUnit.NANOSECONDS).error()).isInstanceOf(TimeoutException.class);
            assertThat(waits.join(nanos, nanos > 0 ? TimeUnit.NANOSECONDS : TimeUnit.DAYS)
                            .error())
                    .isInstanceOf(TimeoutException.class);
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> view.invokeAny(List.of(() -> "no"), nanos, TimeUnit.NANOSECONDS));
            assertThat(view.invokeAll(List.of(() -> "no"), nanos, TimeUnit.NANOSECONDS))
                    .allMatch(future -> future.isCancelled());
            assertThat(view.awaitTermination(nanos, TimeUnit.NANOSECONDS)).isFalse();
            return null;
        });
        permit.close();
        assertThat(waits.await().value()).isEqualTo("done");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("noTime")
    @Tag("G42")
    void aDrainWithoutTimeForces(Duration time) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> waits = executor.submit("a", "waits", () -> "no");

        assertThat(Deadline.within(() -> executor.shutdown(time))).isFalse();

        permit.close();
        Deadline.until("it has ended", waits::isDone);
        assertThat(waits.await().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("muchTime")
    @Tag("E5")
    @Tag("E14")
    @Tag("G42")
    void muchTimeToWaitIsNeverUp(Duration time) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> waits = executor.submit(new GroupTask<>("a", "waits", () -> "done").withQueueTimeout(time));
        List<Caller<?>> callers = List.of(
                Caller.start(() -> executor.tryAcquire("a", time).orElseThrow()),
                Caller.start(() -> executor.call("a", time, () -> "done")),
                Caller.start(() -> executor.awaitQuiet(time)),
                Caller.start(() -> executor.awaitTermination(time)),
                Caller.start(() -> waits.await(Long.MAX_VALUE, TimeUnit.DAYS)),
                Caller.start(() -> waits.await(Long.MAX_VALUE, TimeUnit.NANOSECONDS)));
        Waits.awaitQueued(executor, "a", 3);
        callers.get(2).awaitBlockedOnACondition();
        callers.get(3).awaitBlockedOnACondition();
        callers.get(4).awaitBlockedOn(waits);
        callers.get(5).awaitBlockedOn(waits);
        assertThat(waits.isDone()).isFalse();

        permit.close();
        assertThat(waits.await().value()).isEqualTo("done");
        ((GroupPermit) callers.get(0).result()).close();
        assertThat(callers.get(1).result()).isEqualTo("done");
        assertThat(callers.get(2).result()).isEqualTo(true);
        assertThat(Deadline.within(() -> executor.shutdown(time))).isTrue();
        assertThat(callers.get(3).result()).isEqualTo(true);
        callers.get(4).result();
        callers.get(5).result();
    }
}
