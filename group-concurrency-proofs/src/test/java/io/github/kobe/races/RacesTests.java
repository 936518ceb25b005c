package io.github.kobe.races;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.EngineAccess;
import io.github.kobe.EngineAccess.Surroundings;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
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

    private static final int RACE = Depth.pick(1_000, 10_000, 200_000);

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

    /** How a permit is asked for. */
    private enum Ask {
        SUBMIT,
        CALL,
        ACQUIRE,
        ACQUIRE_ASYNC;

        private boolean blocks() {
            return this == CALL || this == ACQUIRE;
        }
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
            return GroupPolicy.builder().globalMaxInFlight(globalMaxInFlight);
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
            Request request = new Request(executor, ask);

            arena.release(request::make, executor::shutdown);
            request.awaitDecided();
            arena.won(request.granted);

            if (!request.granted) {
                request.expectEnd(RejectionReason.SHUTDOWN);
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
            Request request = new Request(executor, ask);

            arena.release(request::make, executor::shutdown);
            request.awaitDecided();
            arena.won(!request.isRefused());

            assertThat(request.granted).isFalse();
            request.expectEnd(RejectionReason.SHUTDOWN);
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

    private void expectNothingLost(GroupExecutor executor, Request request, int round) throws Exception {
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
                Request request = new Request(executor, ask);

                arena.release(request::make, () -> executor.evictGroup("a"));

                expectTheOneLimiter(request, before);
            }
        });
        reporter.publishEntry(arena.score("asked first", "evicted first"));
    }

    private void expectTheOneLimiter(Request request, Object before) throws Exception {
        request.awaitDecided();
        assertThat(request.granted).isTrue();
        assertThat(request.executor.tryAcquire("a", Duration.ZERO))
                .as("a second permit of limit 1")
                .isEmpty();
        arena.won(Objects.equals(EngineAccess.limiter(request.executor, "a"), before));
        request.letGo();
        request.expectSuccess();
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
                Request request = new Request(executor, ask);

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
                Request request = queue(new Request(executor, ask));

                arena.release(holder::close, request::cancel);
                request.awaitDecided();

                expectThePermitBack(request);
                if (!request.granted) {
                    request.expectCancelled();
                }
                arena.won(request.granted);
            }
        });
        reporter.publishEntry(arena.score("started", "cancelled first"));
    }

    private Request queue(Request request) throws Exception {
        arena.sendAhead(request::make);
        Arena.await("queued", () -> request.executor.stats().queued() == 1);
        if (!request.ask.blocks()) {
            arena.join();
        }
        return request;
    }

    /** Ends a round: whoever won, the permit is to be had again, and only one. */
    private void expectThePermitBack(Request request) throws Exception {
        request.letGo();
        arena.join();
        request.awaitEnd();
        GroupPermit permit = request.executor
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
                arena.release(running.end, () -> cancelled[0] = running.cancelled.cancel(true));
                arena.join();

                arena.won(!cancelled[0]);
                assertThat(running.status()).isEqualTo(cancelled[0] ? Future.State.CANCELLED : Future.State.SUCCESS);
                GroupPermit permit = executor.tryAcquire("a", LIMIT_OF_WAIT)
                        .orElseThrow(() -> new AssertionError("the permit was lost to " + work));
                assertThat(insiders.get()).as("inside, beside the only permit").isZero();
                permit.close();
            }
        });
        reporter.publishEntry(arena.score("completed", "cancelled"));
    }

    /** Work that is inside its group until {@code end} is made. */
    private record Running(Future<?> cancelled, Arena.Move end) {

        private Future.State status() {
            Arena.await("done", cancelled::isDone);
            if (cancelled.state() == Future.State.SUCCESS
                    && cancelled.resultNow() instanceof GroupResult<?> result
                    && result.status() == TaskStatus.CANCELLED) {
                return Future.State.CANCELLED;
            }
            return cancelled.state();
        }
    }

    private Running start(GroupExecutor executor, Work work) {
        Request body = new Request(executor, Ask.SUBMIT);
        return switch (work) {
            case TASK -> {
                TaskHandle<String> handle = executor.submit("a", "id", body::run);
                body.awaitGranted();
                yield new Running(new HandleFuture(handle), body::letGo);
            }
            case VIEW -> {
                Future<String> future = executor.asExecutorService("a").submit(body::run);
                body.awaitGranted();
                yield new Running(future, body::letGo);
            }
            case STAGE -> {
                CompletableFuture<String> stage = new CompletableFuture<>();
                TaskHandle<String> handle = executor.submitAsync("a", "id", () -> stage);
                Arena.await(
                        "an open stage",
                        () -> executor.groupStats("a").orElseThrow().running() == 0);
                yield new Running(new HandleFuture(handle), () -> stage.complete("done"));
            }
        };
    }

    /** A handle's own cancel and result, as a future. */
    private static final class HandleFuture extends CompletableFuture<GroupResult<String>> {
        private final TaskHandle<String> handle;

        private HandleFuture(TaskHandle<String> handle) {
            this.handle = handle;
        }

        @Override
        public boolean isDone() {
            return handle.isDone();
        }

        @Override
        public State state() {
            return handle.isDone() ? State.SUCCESS : State.RUNNING;
        }

        @Override
        public GroupResult<String> resultNow() {
            return handle.join();
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return handle.cancel(mayInterruptIfRunning);
        }
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
                Request request = queue(new Request(executor, ask, ownTime));

                arena.release(holder::close, () -> {
                    clock.advance(LIMIT_OF_WAIT, executor);
                    LockSupport.unpark(arena.ahead());
                });
                request.awaitDecided();

                expectThePermitBack(request);
                if (!request.granted) {
                    request.expectEnd(RejectionReason.QUEUE_TIMEOUT);
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
    private final class Request {

        private final GroupExecutor executor;
        private final Ask ask;
        private final Duration ownTime;
        private volatile Thread asker;
        private volatile Thread runner;
        private volatile TaskHandle<String> handle;
        private volatile CompletableFuture<GroupPermit> future;
        private volatile GroupPermit permit;
        private volatile boolean granted;
        private volatile boolean letGo;
        /** A result or an exception. */
        private volatile Object end;

        private Request(GroupExecutor executor, Ask ask) {
            this(executor, ask, GroupLimits.NO_TIMEOUT);
        }

        private Request(GroupExecutor executor, Ask ask, Duration ownTime) {
            this.executor = executor;
            this.ask = ask;
            this.ownTime = ownTime;
        }

        /** Asks; a call returns only when it has been let go. */
        private void make() throws Exception {
            Thread.interrupted(); // a cancel of the round before may have come late
            asker = Thread.currentThread();
            try {
                switch (ask) {
                    case SUBMIT -> {
                        handle = executor.submit(new GroupTask<>("a", "id", this::run).withQueueTimeout(ownTime));
                        var unused = handle.toCompletableFuture()
                                .whenComplete((result, error) -> end = error == null ? result : unwrap(error));
                    }
                    case CALL -> end = executor.call("a", "id", ownTime, this::run);
                    case ACQUIRE -> take(executor.tryAcquire("a", ownTime).orElse(null));
                    case ACQUIRE_ASYNC -> {
                        future = executor.acquireAsync("a").toCompletableFuture();
                        var unused = future.whenComplete((got, error) -> {
                            if (error == null) {
                                take(got);
                            } else {
                                end = unwrap(error);
                            }
                        });
                    }
                }
            } catch (RejectedTaskException | IllegalStateException | InterruptedException ended) {
                end = ended;
            }
        }

        private Throwable unwrap(Throwable error) {
            return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        }

        private void take(GroupPermit got) {
            if (got == null) {
                end = RejectionReason.QUEUE_TIMEOUT;
                return;
            }
            permit = got;
            enter();
        }

        private void enter() {
            if (insiders.incrementAndGet() > 1) {
                end = new AssertionError("two inside a group of limit 1");
            }
            granted = true;
        }

        /** The code inside the group. */
        private String run() {
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
                end = "done";
            }
        }

        private void cancel() {
            switch (ask) {
                case SUBMIT -> handle.cancel(true);
                case CALL, ACQUIRE -> asker.interrupt();
                case ACQUIRE_ASYNC -> future.cancel(false);
            }
        }

        private void awaitGranted() {
            Arena.await("inside", () -> granted);
        }

        private void awaitDecided() {
            Arena.await("granted or refused", () -> granted || end != null);
        }

        private void awaitEnd() {
            Arena.await("the end of " + this, () -> end != null);
        }

        private boolean isRefused() {
            return end instanceof IllegalStateException;
        }

        private void expectSuccess() {
            awaitEnd();
            Object value = end instanceof GroupResult<?> result ? result.value() : end;
            if (!"done".equals(value)) {
                throw new AssertionError("expected success: " + this);
            }
        }

        private void expectCancelled() {
            Object ended = end;
            boolean cancelled = ended instanceof InterruptedException
                    || ended instanceof CancellationException
                    || (ended instanceof GroupResult<?> result && result.status() == TaskStatus.CANCELLED);
            if (!cancelled) {
                throw new AssertionError("expected a cancel: " + this);
            }
        }

        private void expectEnd(RejectionReason reason) {
            Object ended = end;
            boolean expected = ended == reason
                    || (ended instanceof RejectedTaskException rejected && rejected.reason() == reason)
                    || (reason == RejectionReason.SHUTDOWN
                            && (ended instanceof IllegalStateException
                                    || (ended instanceof GroupResult<?> result
                                            && result.status() == TaskStatus.CANCELLED)));
            if (!expected) {
                throw new AssertionError("expected " + reason + ": " + this);
            }
        }

        @Override
        public String toString() {
            return ask + ", granted " + granted + ", ended by " + end;
        }
    }
}
