package io.github.kobe.races;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.races.Request.Ask;
import io.github.kobe.races.Request.Fate;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Races of life and death, by real threads that are released together: each time exactly one side wins, whoever loses is
 * told so, and the permit is there again afterwards. Of many rounds each side must have won some. The first half of the rounds
 * has listener and decorator, the second has none; each half ends with the audit.
 */
@Tag("races")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class RacesTests {

    private static final int RACE = Depth.pick(200, 5_000, 200_000);

    /** Of each way to ask, of which a race has eight. */
    private static final int ROUNDS = Math.ceilDiv(RACE, Ask.values().length * Layer.values().length);

    private static final Duration LIMIT_OF_WAIT = Duration.ofSeconds(10);

    @RegisterExtension
    final Engines engines = new Engines();

    private final Arena arena = new Arena();
    private final AtomicInteger insiders = new AtomicInteger();

    @AfterEach
    void endThreads() {
        arena.close();
    }

    /** What decides whether there is a permit. */
    private enum Layer {
        GROUP(Integer.MAX_VALUE),
        GLOBAL(2);

        private final int globalMaxInFlight;

        Layer(int globalMaxInFlight) {
            this.globalMaxInFlight = globalMaxInFlight;
        }

        private GroupPolicy.Builder policy() {
            return GroupPolicy.builder()
                    .globalMaxInFlight(globalMaxInFlight)
                    .defaultMaxInFlightPerGroup(Integer.MAX_VALUE);
        }
    }

    static Stream<Arguments> asks() {
        return Stream.of(Layer.values())
                .flatMap(layer -> Stream.of(Ask.values()).map(ask -> Arguments.of(ask, layer)));
    }

    /** The rounds of one half of a race, on one executor. */
    @FunctionalInterface
    private interface Half {
        void run(GroupExecutor executor, int rounds) throws Exception;
    }

    private void race(GroupPolicy policy, Surroundings environment, Half half) throws Exception {
        half.run(engines.start(policy, environment), ROUNDS / 2);
        half.run(engines.startPlain(policy, environment), ROUNDS - ROUNDS / 2);
    }

    private void race(GroupPolicy policy, Half half) throws Exception {
        race(policy, Surroundings.SYSTEM, half);
    }

    // ---------------------------------------------------------------- submit versus shutdown

    @ParameterizedTest
    @MethodSource("asks")
    @Tag("S1")
    void whoAsksDuringAShutdownGetsThePermitOrIsRefused(Ask ask, Layer layer, TestReporter reporter) throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            GroupExecutor executor = startForOneRound(layer, i);
            Holding request = new Holding(executor, ask);

            arena.release(request::make, executor::shutdown);
            request.awaitDecided();
            arena.won(request.granted);

            if (!request.granted) {
                request.expect(Fate.SHUT_DOWN, Fate.CANCELLED);
            }
            expectNothingLost(executor, request, i);
        }
        reporter.publishEntry(arena.score("granted", "refused"));
    }

    @ParameterizedTest
    @MethodSource("asks")
    @Tag("S1")
    void whoQueuesDuringAShutdownIsRefusedOrEndedInTheQueue(Ask ask, Layer layer, TestReporter reporter)
            throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            GroupExecutor executor = startForOneRound(layer, i);
            GroupPermit holder = detachedPermit(executor);
            Holding request = new Holding(executor, ask);

            arena.release(request::make, executor::shutdown);
            request.awaitDecided();
            arena.won(!request.isRefused());

            assertThat(request.granted).isFalse();
            request.expect(Fate.SHUT_DOWN, Fate.CANCELLED);
            holder.close();
            expectNothingLost(executor, request, i);
        }
        reporter.publishEntry(arena.score("queued", "refused"));
    }

    private GroupExecutor startForOneRound(Layer layer, int round) {
        GroupPolicy policy = layer.policy().build();
        return isAudited(round) ? engines.start(policy) : engines.startPlain(policy);
    }

    private static boolean isAudited(int round) {
        return round % 200 == 0;
    }

    private void expectNothingLost(GroupExecutor executor, Holding request, int round) throws Exception {
        request.letGo();
        arena.join();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        TaskTotals totals = executor.stats().totals();
        assertThat(totals.submitted())
                .isEqualTo(totals.succeeded() + totals.failed() + totals.cancelled() + totals.rejected());
        if (isAudited(round)) {
            engines.audit(executor);
        }
        engines.withoutAudit(executor); // it is over, and ten thousand of them would be kept
    }

    // ---------------------------------------------------------------- submit versus evict

    @ParameterizedTest
    @MethodSource("asks")
    @Tag("K2")
    void whoAsksDuringAnEvictionFindsTheOneLimiterOfTheKey(Ask ask, Layer layer, TestReporter reporter)
            throws Exception {
        race(layer.policy().build(), (executor, rounds) -> {
            for (int i = 0; i < rounds; i++) {
                detachedPermit(executor).close();
                Object before = EngineAccess.limiter(executor, "a");
                Holding request = new Holding(executor, ask);

                arena.release(request::make, () -> executor.evictGroup("a"));

                expectTheOneLimiter(request, before);
            }
        });
        reporter.publishEntry(arena.score("asked first", "evicted first"));
    }

    private void expectTheOneLimiter(Holding request, Object before) throws Exception {
        request.awaitDecided();
        assertThat(request.granted).isTrue();
        assertThat(request.executor().tryAcquire("a", Duration.ZERO))
                .as("a second permit of limit 1")
                .isEmpty();
        arena.won(Objects.equals(EngineAccess.limiter(request.executor(), "a"), before));
        request.letGo();
        request.expect(Fate.DONE);
        arena.join();
        Arena.await("nobody inside", () -> insiders.get() == 0);
    }

    // ---------------------------------------------------------------- idle removal versus reuse

    @ParameterizedTest
    @MethodSource("asks")
    @Tag("K2")
    void whoReusesAGroupThatIsRemovedAsIdleFindsTheOneLimiterOfTheKey(Ask ask, Layer layer, TestReporter reporter)
            throws Exception {
        race(layer.policy().maxIdleGroups(0).build(), (executor, rounds) -> {
            for (int i = 0; i < rounds; i++) {
                GroupPermit last = detachedPermit(executor);
                Object before = EngineAccess.limiter(executor, "a");
                Holding request = new Holding(executor, ask);

                arena.release(request::make, last::close);

                expectTheOneLimiter(request, before);
            }
        });
        reporter.publishEntry(arena.score("reused", "removed"));
    }

    // ---------------------------------------------------------------- cancel versus start

    @ParameterizedTest
    @MethodSource("asks")
    @Tag("P2")
    @Tag("P5")
    void aCancelThatMeetsTheStartLosesNoPermit(Ask ask, Layer layer, TestReporter reporter) throws Exception {
        race(layer.policy().build(), (executor, rounds) -> {
            for (int i = 0; i < rounds; i++) {
                GroupPermit holder = detachedPermit(executor);
                Holding request = queue(new Holding(executor, ask));

                arena.release(holder::close, () -> request.cancel(true));
                request.awaitDecided();

                expectThePermitBack(request);
                if (!request.granted) {
                    request.expect(Fate.CANCELLED);
                }
                arena.won(request.granted);
            }
        });
        reporter.publishEntry(arena.score("started", "cancelled first"));
    }

    private Holding queue(Holding request) throws Exception {
        arena.sendAhead(request::make);
        Arena.await("queued", () -> request.executor().stats().queued() == 1);
        if (!request.ask().blocks()) {
            arena.join();
        }
        return request;
    }

    /** Ends a round: whoever won, the permit is to be had again, and only one. */
    private void expectThePermitBack(Holding request) throws Exception {
        request.letGo();
        arena.join();
        request.awaitEnd();
        GroupPermit permit = request.executor()
                .tryAcquire("a", LIMIT_OF_WAIT)
                .orElseThrow(() -> new AssertionError("the permit was lost: " + request));
        assertThat(insiders.get()).as("inside, beside the only permit").isZero();
        permit.close();
    }

    // ---------------------------------------------------------------- cancel versus complete

    private enum Work {
        TASK,
        STAGE,
        VIEW
    }

    static Stream<Arguments> works() {
        return Stream.of(Layer.values())
                .flatMap(layer -> Stream.of(Work.values()).map(work -> Arguments.of(work, layer)));
    }

    @ParameterizedTest
    @MethodSource("works")
    @Tag("P8")
    void aCancelThatMeetsTheEndReleasesOnce(Work work, Layer layer, TestReporter reporter) throws Exception {
        race(layer.policy().build(), (executor, rounds) -> {
            for (int i = 0; i < rounds; i++) {
                Running running = start(executor, work);

                boolean[] cancelled = {false};
                arena.release(running.end, () -> cancelled[0] = running.cancel.getAsBoolean());
                arena.join();

                arena.won(!cancelled[0]);
                assertThat(running.fate.get()).isEqualTo(cancelled[0] ? Fate.CANCELLED : Fate.DONE);
                GroupPermit permit = executor.tryAcquire("a", LIMIT_OF_WAIT)
                        .orElseThrow(() -> new AssertionError("the permit was lost to " + work));
                assertThat(insiders.get()).as("inside, beside the only permit").isZero();
                permit.close();
            }
        });
        reporter.publishEntry(arena.score("completed", "cancelled"));
    }

    /** Work that is inside its group until {@code end} is made. */
    private record Running(BooleanSupplier cancel, Supplier<Fate> fate, Arena.Move end) {

        private static Running of(Holding request, Arena.Move end) {
            return new Running(() -> request.cancel(true), request::awaitFate, end);
        }
    }

    private Running start(GroupExecutor executor, Work work) throws Exception {
        Holding request = new Holding(executor, Ask.SUBMIT);
        return switch (work) {
            case TASK -> {
                request.make();
                request.awaitGranted();
                yield Running.of(request, request::letGo);
            }
            case VIEW -> {
                Future<String> future = executor.asExecutorService("a").submit(request::run);
                request.awaitGranted();
                yield new Running(() -> future.cancel(true), () -> fate(future), request::letGo);
            }
            case STAGE -> {
                CompletableFuture<String> stage = new CompletableFuture<>();
                request.follow(executor.submitAsync("a", "id", () -> stage));
                Arena.await(
                        "an open stage",
                        () -> executor.groupStats("a").orElseThrow().running() == 0);
                yield Running.of(request, () -> stage.complete("done"));
            }
        };
    }

    private static Fate fate(Future<?> future) {
        Arena.await("done", future::isDone);
        return future.state() == Future.State.CANCELLED ? Fate.CANCELLED : Fate.DONE;
    }

    // ---------------------------------------------------------------- execute versus the view's shutdownNow

    @Test
    @Tag("S1")
    void whatIsGivenToAViewDuringItsShutdownNowRunsOrIsReturnedOrRefused(TestReporter reporter) throws Exception {
        race(Layer.GROUP.policy().build(), (executor, rounds) -> {
            for (int i = 0; i < rounds; i++) {
                GroupPermit holder = i % 2 == 0 ? detachedPermit(executor) : null;
                ExecutorService view = executor.asExecutorService("a");
                AtomicInteger fates = new AtomicInteger();
                boolean[] refused = {false};
                List<Runnable> neverRun = new ArrayList<>();
                Runnable command = fates::incrementAndGet;

                arena.release(
                        () -> {
                            try {
                                view.execute(command);
                            } catch (RejectedExecutionException shutDown) {
                                refused[0] = true;
                            }
                        },
                        () -> neverRun.addAll(view.shutdownNow()));
                arena.join();
                arena.won(!refused[0]);

                if (holder != null) {
                    holder.close();
                }
                assertThat(view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                assertThat(fates.get() + neverRun.size() + (refused[0] ? 1 : 0))
                        .as("ran " + fates + ", returned " + neverRun + ", refused " + refused[0])
                        .isEqualTo(1);
                assertThat(executor.tryAcquire("a", LIMIT_OF_WAIT)).hasValueSatisfying(GroupPermit::close);
            }
        });
        reporter.publishEntry(arena.score("taken", "refused"));
    }

    // ---------------------------------------------------------------- time-out versus grant

    @ParameterizedTest
    @MethodSource("asks")
    @Tag("P1")
    void whoseGroupsTimeIsUpAsThePermitComesIsEitherRejectedOrHasIt(Ask ask, Layer layer, TestReporter reporter)
            throws Exception {
        GroupPolicy policy = layer.policy().queueTimeout(LIMIT_OF_WAIT).build();
        raceAgainstTime(policy, ask, GroupLimits.NO_TIMEOUT, reporter);
    }

    @ParameterizedTest
    @EnumSource(value = Ask.class, names = "ACQUIRE_ASYNC", mode = EnumSource.Mode.EXCLUDE)
    @Tag("P1")
    void whoseOwnTimeIsUpAsThePermitComesIsEitherRejectedOrHasIt(Ask ask, TestReporter reporter) throws Exception {
        raceAgainstTime(Layer.GROUP.policy().build(), ask, LIMIT_OF_WAIT, reporter);
    }

    private void raceAgainstTime(GroupPolicy policy, Ask ask, Duration ownTime, TestReporter reporter)
            throws Exception {
        ManualClock clock = new ManualClock();
        race(policy, clock.environment(), (executor, rounds) -> {
            for (int i = 0; i < rounds; i++) {
                GroupPermit holder = detachedPermit(executor);
                Holding request = queue(new Holding(executor, ask, ownTime));

                arena.release(holder::close, () -> {
                    clock.advance(LIMIT_OF_WAIT, executor);
                    LockSupport.unpark(arena.ahead());
                });
                request.awaitDecided();

                expectThePermitBack(request);
                if (!request.granted) {
                    request.expect(Fate.TIMED_OUT);
                }
                arena.won(request.granted);
            }
        });
        reporter.publishEntry(arena.score("granted", "too late"));
    }

    // ---------------------------------------------------------------- who asks

    private static GroupPermit detachedPermit(GroupExecutor executor) {
        return executor.acquireAsync("a").toCompletableFuture().join();
    }

    /** One request for the only permit of the group, which keeps it until it is let go. */
    private final class Holding extends Request {

        private volatile Thread runner;
        private volatile GroupPermit permit;
        private volatile boolean granted;
        private volatile boolean letGo;

        private Holding(GroupExecutor executor, Ask ask) {
            this(executor, ask, GroupLimits.NO_TIMEOUT);
        }

        private Holding(GroupExecutor executor, Ask ask, Duration ownTime) {
            super(executor, "a", "id", ask, ownTime);
        }

        /** A call returns only when it has been let go. */
        @Override
        public void make() throws Exception {
            Thread.interrupted(); // a cancel of the round before may have come late
            super.make();
        }

        @Override
        protected void hold(GroupPermit got) {
            permit = got;
            enter();
        }

        private void enter() {
            if (insiders.incrementAndGet() > 1) {
                end(new AssertionError("two inside a group of limit 1"));
            }
            granted = true;
        }

        @Override
        protected String run() {
            runner = Thread.currentThread();
            enter();
            while (!letGo) {
                LockSupport.park(this);
                Thread.interrupted();
            }
            insiders.decrementAndGet();
            return "done";
        }

        private void letGo() {
            letGo = true;
            LockSupport.unpark(runner);
            if (permit != null) {
                insiders.decrementAndGet();
                permit.close();
                end("done");
            }
        }

        private void awaitGranted() {
            Arena.await("inside", () -> granted);
        }

        private void awaitDecided() {
            Arena.await("granted or refused", () -> granted || end() != null);
        }

        private void awaitEnd() {
            Arena.await("the end of " + this, () -> end() != null);
        }

        private Fate awaitFate() {
            awaitEnd();
            return fate();
        }

        private void expect(Fate... fates) {
            assertThat(awaitFate()).as(toString()).isIn((Object[]) fates);
        }
    }
}
