package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.tuple;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupHolder.Kind;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupRecorder;
import io.github.kobe.GroupStats;
import io.github.kobe.RuleStats;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E12: who has the permits of a group. */
@Tag("E12")
class HoldersTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Optional<Duration> UNKNOWN = Optional.empty();
    private static final Optional<String> NOBODY = Optional.empty();

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();

    /** No listener, so that calls go the short way. */
    private final GroupExecutor executor = engines.startPlain(
            GroupPolicy.builder().defaultMaxConcurrencyPerGroup(10).build(), clock.environment());

    @AfterEach
    void nothingIsLeft() throws Exception {
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(EngineAccess.open(executor)).isEmpty();
        assertThat(executor.holders("a")).isEmpty();
    }

    /** {@return who has permits of {@code a}, as many as there are permits out, lent ones included} */
    private List<GroupHolder> holders() {
        List<GroupHolder> holders = executor.holders("a");
        GroupStats stats = executor.groupStats("a").orElseThrow();
        long lent = holders.stream().filter(GroupHolder::lent).count();
        assertThat(holders).hasSize((int) (stats.inFlight() + lent));
        return holders;
    }

    private static GroupHolder task(String id, Optional<Duration> held) {
        return new GroupHolder(id, held, Kind.TASK, Optional.of("a"), false);
    }

    private static GroupHolder thread(String id, Optional<Duration> held) {
        return new GroupHolder(id, held, Kind.THREAD, Optional.of("caller"), false);
    }

    private static GroupHolder permit(String id, Optional<String> threadName) {
        return new GroupHolder(id, UNKNOWN, Kind.PERMIT, threadName, false);
    }

    private static <T> T elsewhere(Callable<T> work) throws Exception {
        return Caller.startPlatform(work).result();
    }

    /** Has a thread of that name do something that comes to the gate. */
    private Caller<?> inside(String name, Callable<?> work) {
        int before = gate.arrived();
        Caller<?> caller = Caller.startPlatform(() -> {
            Thread.currentThread().setName(name);
            return work.call();
        });
        gate.awaitArrived(before + 1);
        return caller;
    }

    // ---------------------------------------------------------------- tasks

    @Test
    void aTaskIsShownWithItsIdAndHowLongItRuns() {
        executor.submit("a", "first", gate.then("done"));
        gate.awaitArrived(1);
        clock.advance(SECOND);
        executor.submit("a", "second", gate.then("done"));
        gate.awaitArrived(2);
        clock.advance(SECOND);

        assertThat(holders())
                .containsExactly(
                        task("first", Optional.of(SECOND.multipliedBy(2))), task("second", Optional.of(SECOND)));
    }

    @Test
    void onlyThoseOfTheGroupAreShown() {
        executor.submit("a", "mine", gate.then("done"));
        executor.submit("b", "other", gate.then("done"));
        gate.awaitArrived(2);

        assertThat(holders()).extracting(GroupHolder::taskId).containsExactly("mine");
    }

    @Test
    void anAsynchronousTaskIsATaskFirstAndThenAStage() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskHandle<String> handle = executor.submitAsync("a", "async", () -> {
            gate.pass();
            return stage;
        });
        gate.awaitArrived(1);
        clock.advance(SECOND);
        assertThat(holders()).containsExactly(task("async", Optional.of(SECOND)));

        gate.open();
        Deadline.until("only the stage is open", () -> executor.stats().running() == 0);
        clock.advance(SECOND);
        assertThat(holders())
                .containsExactly(
                        new GroupHolder("async", Optional.of(SECOND.multipliedBy(2)), Kind.STAGE, NOBODY, false));

        stage.complete("done");
        assertThat(handle.join().value()).isEqualTo("done");
        assertThat(holders()).isEmpty();
    }

    @Test
    void aTaskOfAViewHasNoId() throws Exception {
        try (ExecutorService view = executor.asExecutorService("a")) {
            Future<String> future = view.submit(gate.then("done"));
            gate.awaitArrived(1);

            assertThat(holders()).containsExactly(task("", Optional.of(Duration.ZERO)));

            gate.open();
            assertThat(future.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("done");
        }
    }

    @Test
    void aTaskThatIsCancelledIsShownUntilItsCodeHasEnded() {
        TaskHandle<String> handle = executor.submit("a", "stubborn", gate.stubbornlyThen("late"));
        gate.awaitArrived(1);
        handle.cancel(true);

        assertThat(holders()).extracting(GroupHolder::taskId).containsExactly("stubborn");

        executor.shutdown();
        assertThat(holders()).extracting(GroupHolder::taskId).containsExactly("stubborn");
    }

    // ---------------------------------------------------------------- calls

    @Test
    void aCallIsShownWithItsThread() throws Exception {
        Caller<String> caller = Caller.startPlatform(() -> executor.call("a", gate.then("done")));
        gate.awaitArrived(1);

        assertThat(holders()).containsExactly(thread("", UNKNOWN));

        gate.open();
        assertThat(caller.result()).isEqualTo("done");
    }

    @Test
    void aCallOnAVirtualThreadIsShownToo() throws Exception {
        Caller<String> caller = Caller.start(() -> executor.call("a", "call", gate.then("done")));
        gate.awaitArrived(1);

        assertThat(holders()).containsExactly(new GroupHolder("call", UNKNOWN, Kind.THREAD, Optional.of(""), false));

        gate.open();
        assertThat(caller.result()).isEqualTo("done");
    }

    @Test
    void eachCallOfAThreadHasItsOwnId() throws Exception {
        Caller<List<GroupHolder>> caller = Caller.startPlatform(() -> {
            List<GroupHolder> seen = new ArrayList<>();
            for (String id : List.of("", "first", "", "second", "second")) {
                executor.call("b", "other", () -> "done");
                seen.addAll(executor.call("a", id, this::holders));
            }
            return seen;
        });

        assertThat(caller.result())
                .containsExactly(
                        thread("", UNKNOWN),
                        thread("first", UNKNOWN),
                        thread("", UNKNOWN),
                        thread("second", UNKNOWN),
                        thread("second", UNKNOWN));
    }

    @Test
    void aCallThatIsTimedIsShownWithHowLongItRuns() throws Exception {
        executor.updatePolicy(executor.policy().toBuilder()
                .recorderFactory((key, rule) -> new GroupRecorder() {
                    @Override
                    public void completed(TaskStatus status, long nanos) {}
                })
                .build());
        Caller<List<GroupHolder>> caller = Caller.startPlatform(() -> {
            List<GroupHolder> seen = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                seen.addAll(executor.call("a", "call", () -> {
                    clock.advance(SECOND);
                    return holders();
                }));
            }
            return seen;
        });

        GroupHolder shown = thread("call", Optional.of(SECOND));
        assertThat(caller.result()).containsExactly(shown, shown);
    }

    @Test
    void aCallThatAListenerHearsOfIsShownWithHowLongItRuns() throws Exception {
        GroupExecutor heard = engines.start(GroupPolicy.builder().build(), clock);

        List<GroupHolder> seen = elsewhere(() -> heard.call("a", "call", () -> {
            clock.advance(SECOND);
            return heard.holders("a");
        }));

        assertThat(seen).containsExactly(thread("call", Optional.of(SECOND)));
        assertThat(heard.holders("a")).isEmpty();
    }

    @Test
    void aNestedCallIsShownInItsGroupAndReEntryOnce() throws Exception {
        List<List<GroupHolder>> seen = elsewhere(() -> executor.call(
                "b",
                "outer",
                () -> executor.call(
                        "a",
                        "inner",
                        () -> executor.call("a", "again", () -> List.of(holders(), executor.holders("b"))))));

        assertThat(seen).containsExactly(List.of(thread("inner", UNKNOWN)), List.of(thread("outer", UNKNOWN)));
    }

    // ---------------------------------------------------------------- permits

    @Test
    void aCallIsShownOnceHoweverOftenItIsShared() throws Exception {
        List<GroupPermit> shares = elsewhere(() -> executor.call("a", () -> {
            List<GroupPermit> made = List.of(
                    executor.enclosingPermit("a").orElseThrow(),
                    executor.enclosingPermit("a").orElseThrow());
            assertThat(holders()).containsExactly(thread("", UNKNOWN));
            return made;
        }));

        assertThat(holders()).containsExactly(permit("", NOBODY));
        shares.getFirst().close();
        assertThat(holders()).containsExactly(permit("", NOBODY));
        shares.getLast().close();
        assertThat(holders()).isEmpty();
    }

    @Test
    void aPermitThatIsTimedIsShownWithHowLongItIsOut() throws Exception {
        GroupExecutor heard = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build(), clock);
        GroupPermit first = heard.acquire("a");
        clock.advance(SECOND);
        GroupPermit second = heard.acquire("a");
        clock.advance(SECOND);

        assertThat(heard.holders("a"))
                .containsExactly(
                        new GroupHolder("", Optional.of(SECOND.multipliedBy(2)), Kind.PERMIT, NOBODY, false),
                        new GroupHolder("", Optional.of(SECOND), Kind.PERMIT, NOBODY, false));

        first.close();
        second.close();
    }

    @Test
    void permitsAreShownWithoutAThread() throws Exception {
        List<GroupPermit> permits = List.of(
                executor.acquire("a"),
                executor.tryAcquire("a", Duration.ZERO).orElseThrow(),
                executor.acquireAsync("a", "asked", Deadline.LONG)
                        .toCompletableFuture()
                        .join());

        assertThat(holders())
                .containsExactlyInAnyOrder(permit("", NOBODY), permit("", NOBODY), permit("asked", NOBODY));

        permits.forEach(GroupPermit::close);
        assertThat(holders()).isEmpty();
    }

    @Test
    void aPermitThatHadToBeWaitedForIsShown() throws Exception {
        executor.updatePolicy(
                executor.policy().toBuilder().defaultMaxConcurrencyPerGroup(1).build());
        GroupPermit first = executor.acquire("a");
        CompletableFuture<GroupPermit> next =
                executor.acquireAsync("a", "next", Deadline.LONG).toCompletableFuture();
        CompletableFuture<GroupPermit> given = executor.acquireAsync("a").toCompletableFuture();
        assertThat(holders()).containsExactly(permit("", NOBODY));

        first.close();
        GroupPermit second = next.get(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(holders()).containsExactly(permit("next", NOBODY));
        assertThat(given.cancel(true)).isTrue();
        second.close();
    }

    @Test
    void aPermitThatIsRefusedIsNotShown() throws Exception {
        executor.updatePolicy(
                executor.policy().toBuilder().defaultMaxConcurrencyPerGroup(1).build());
        GroupPermit permit = executor.acquire("a");

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();

        assertThat(holders()).containsExactly(permit("", NOBODY));
        permit.close();
    }

    @Test
    void whoIsInsideOfAPermitGivesItHisName() throws Exception {
        GroupPermit permit = executor.acquire("a");
        Caller<?> first = inside("first", () -> permit.call(gate.then("done")));
        assertThat(holders()).containsExactly(permit("", Optional.of("first")));

        Caller<?> second = inside("second", () -> permit.call(gate.then("done")));
        assertThat(holders()).containsExactly(permit("", Optional.of("first"))); // the older of the two threads

        permit.close();
        assertThat(holders()).containsExactly(permit("", Optional.of("first")));
        gate.open();
        first.result();
        second.result();
        assertThat(holders()).isEmpty();
    }

    @Test
    void aThreadIsShownThoughOthersAreInsideWhatItShares() throws Exception {
        Gate owner = new Gate();
        Caller<String> caller = Caller.startPlatform(() -> {
            GroupPermit shared = executor.call("a", () -> {
                GroupPermit made = executor.enclosingPermit("a").orElseThrow();
                Caller<?> unused = inside("other", () -> made.call(gate.then("done")));
                owner.pass();
                return made;
            });
            shared.close();
            assertThat(holders()).containsExactly(permit("", Optional.of("other")));
            gate.open();
            return "done";
        });
        owner.awaitArrived(1);

        assertThat(holders()).containsExactly(thread("", UNKNOWN));

        owner.open();
        caller.result();
        Deadline.until("nobody is inside", () -> executor.holders("a").isEmpty());
    }

    @Test
    void aPermitThatIsClosedIsShownWhileItIsShared() throws Exception {
        List<GroupPermit> shared = elsewhere(() -> {
            try (GroupPermit permit = executor.acquire("a")) {
                return List.of(
                        permit.acquireAsync("a").toCompletableFuture().join(),
                        permit.acquireAsync("a").toCompletableFuture().join());
            }
        });
        assertThat(holders()).containsExactly(permit("", NOBODY));

        shared.getFirst().close();
        assertThat(holders()).containsExactly(permit("", NOBODY));

        Caller<?> caller = inside("inside", () -> shared.getLast().call(gate.then("done")));
        assertThat(holders()).containsExactly(permit("", Optional.of("inside")));
        shared.getLast().close();
        gate.open();
        caller.result();
        assertThat(holders()).isEmpty();
    }

    @Test
    void whatIsTakenUnderAPermitIsShownInItsGroup() throws Exception {
        GroupPermit outer = executor.acquire("b");
        GroupPermit under = outer.acquireAsync("a").toCompletableFuture().join();

        assertThat(holders()).containsExactly(permit("", NOBODY));
        assertThat(executor.holders("b")).containsExactly(permit("", NOBODY));

        outer.close();
        assertThat(executor.holders("b")).isEmpty();
        assertThat(holders()).containsExactly(permit("", NOBODY));
        under.close();
    }

    // ---------------------------------------------------------------- loans

    @Test
    void whoLendsIsShownAndWhoBorrows() throws Exception {
        executor.updatePolicy(
                executor.policy().toBuilder().defaultMaxConcurrencyPerGroup(1).build());
        TaskHandle<String> lender = executor.submit(
                "a",
                "lender",
                () -> executor.submit("a", "borrower", gate.then("done")).join().valueOrThrow());
        gate.awaitArrived(1);

        assertThat(holders())
                .containsExactlyInAnyOrder(
                        new GroupHolder("lender", Optional.of(Duration.ZERO), Kind.TASK, Optional.of("a"), true),
                        task("borrower", Optional.of(Duration.ZERO)));

        gate.open();
        assertThat(lender.await().value()).isEqualTo("done");
        assertThat(holders()).isEmpty();
    }

    @Test
    void aPermitIsShownAsLent() throws Exception {
        executor.updatePolicy(
                executor.policy().toBuilder().defaultMaxConcurrencyPerGroup(1).build());
        GroupPermit permit = executor.acquire("a");
        Caller<?> lender = inside(
                "lender",
                () -> permit.call(() ->
                        executor.submit("a", "borrower", gate.then("done")).join()));

        assertThat(holders())
                .containsExactlyInAnyOrder(
                        new GroupHolder("", UNKNOWN, Kind.PERMIT, Optional.of("lender"), true),
                        task("borrower", Optional.of(Duration.ZERO)));

        permit.close();
        gate.open();
        lender.result();
    }

    // ---------------------------------------------------------------- no permits

    // ---------------------------------------------------------------- who has had them longest

    @Test
    void theLongestHoldOfEachGroupIsKnownAndIsOverWhenItEnds() throws Exception {
        GroupExecutor heard = engines.start(
                GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(2)
                        .pattern("b:*", GroupLimits.unset())
                        .build(),
                clock);
        GroupPermit lost = heard.acquire("b:1");
        clock.advance(SECOND);
        GroupPermit younger = heard.acquire("b:1");
        GroupPermit other = heard.acquire("b:2");
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskHandle<String> async = heard.submitAsync("c", "1", () -> stage);
        Deadline.until(
                "the stage is open", () -> heard.holders("c").stream().anyMatch(holder -> holder.kind() == Kind.STAGE));
        clock.advance(SECOND);
        Caller<?> call = inside("caller", () -> heard.call("d", gate.then("done")));
        clock.advance(SECOND);

        assertThat(heard.longestHolds())
                .isEqualTo(Map.of(
                        "b:1",
                        SECOND.multipliedBy(3),
                        "b:2",
                        SECOND.multipliedBy(2),
                        "c",
                        SECOND.multipliedBy(2),
                        "d",
                        SECOND));
        assertThat(heard.ruleStats())
                .extracting(rule -> rule.rule().orElse("none"), RuleStats::longestHold)
                .containsExactly(tuple("b:*", SECOND.multipliedBy(3)), tuple("none", SECOND.multipliedBy(2)));

        lost.close();
        assertThat(heard.longestHolds()).containsEntry("b:1", SECOND.multipliedBy(2));
        assertThat(heard.ruleStats().getFirst().longestHold()).isEqualTo(SECOND.multipliedBy(2));
        younger.close();
        other.close();
        stage.complete("done");
        async.await();
        gate.open();
        call.result();
        assertThat(heard.longestHolds()).isEmpty();
        assertThat(heard.ruleStats()).allMatch(rule -> rule.longestHold().isZero());
    }

    @Test
    void whatIsNotTimedHasNoHold() throws Exception {
        GroupPermit permit = elsewhere(() -> executor.acquire("a"));
        executor.submit("b", "timed", gate.then("done"));
        gate.awaitArrived(1);
        clock.advance(SECOND);

        assertThat(executor.longestHolds()).isEqualTo(Map.of("b", SECOND));
        assertThat(executor.ruleStats().getFirst().longestHold()).isEqualTo(SECOND);

        permit.close();
    }

    @Test
    void ofAGroupThatNobodyKnowsThereAreNone() {
        assertThat(executor.holders("unknown")).isEmpty();
        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    void aGroupThatIsNotGivenIsRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> executor.holders(null))
                .withMessage("groupKey");
    }

    @Test
    void theyAreShownAfterAShutdown() throws Exception {
        GroupPermit permit = executor.acquire("a");
        Caller<String> caller = Caller.startPlatform(() -> executor.call("a", gate.then("done")));
        gate.awaitArrived(1);
        executor.shutdown();

        assertThat(holders()).containsExactlyInAnyOrder(permit("", NOBODY), thread("", UNKNOWN));

        permit.close();
        gate.open();
        assertThat(caller.result()).isEqualTo("done");
        assertThat(holders()).isEmpty();
    }

    @Test
    void whileWorkComesAndGoesOnlyItsOwnIsShown() throws Exception {
        List<Caller<?>> callers = new ArrayList<>();
        for (String key : List.of("a", "b")) {
            for (int i = 0; i < 2; i++) {
                callers.add(Caller.startPlatform(() -> {
                    while (!gate.isOpen()) {
                        executor.call("a", "in a", () -> key);
                        executor.call("b", "in b", () -> key);
                        executor.call(key, () -> key);
                        executor.acquire(key).close();
                    }
                    return null;
                }));
            }
        }
        for (int i = 0; i < 2_000; i++) {
            assertThat(executor.holders("a"))
                    .hasSizeLessThanOrEqualTo(2 * callers.size())
                    .extracting(GroupHolder::taskId)
                    .isSubsetOf("", "in a");
        }
        gate.open();
        for (Caller<?> caller : callers) {
            caller.result();
        }
    }
}
