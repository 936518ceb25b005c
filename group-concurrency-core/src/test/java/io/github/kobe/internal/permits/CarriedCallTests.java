package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call inside a call or a task: it is carried by that one, until it may outlive it. */
@Tag("E6")
class CarriedCallTests {

    private static final Callable<String> WORK = () -> "done";
    private static final int FAR_AWAY = 100;

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();
    private GroupExecutor executor;

    @BeforeEach
    void start() throws Exception {
        start(GroupPolicy.builder().build());
    }

    /** An executor whose groups are fast: none is when it is made. */
    private void start(GroupPolicy policy) throws Exception {
        executor = engines.startPlain(policy);
        useEach(executor);
    }

    /** On a virtual thread, which keeps nothing: what a platform thread kept might be in the slot of a test's own. */
    private static void useEach(GroupExecutor executor) throws Exception {
        Caller<Void> user = Caller.start(() -> {
            for (String key : List.of("a", "b", "c")) {
                executor.call(key, WORK);
            }
            return null;
        });
        user.result();
    }

    private Hold newest() {
        return Objects.requireNonNull(EngineAccess.engine(executor).holds.topOpen(Thread.currentThread()));
    }

    private long carried(String key) {
        return EngineAccess.engine(executor).group(key).counters.carried();
    }

    private long running(String key) {
        return executor.groupStats(key).orElseThrow().running();
    }

    private boolean isFree(String key) throws Exception {
        var permit = elsewhere(() -> executor.tryAcquire(key, Duration.ZERO));
        permit.ifPresent(GroupPermit::close);
        return permit.isPresent();
    }

    private void limit(int globalMaxInFlight) {
        executor.updatePolicy(executor.policy().toBuilder()
                .globalMaxInFlight(globalMaxInFlight)
                .build());
    }

    private static <T> T elsewhere(Callable<T> work) throws Exception {
        return Caller.startPlatform(work).result();
    }

    // ---- how it is carried

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, FAR_AWAY})
    void neitherItNorTheOuterSharesAnything(int globalMaxInFlight) throws Exception {
        limit(globalMaxInFlight);
        for (String key : List.of("a", "b", "c")) {
            executor.call(key, WORK);
        }

        String value = executor.call("a", () -> {
            Hold outer = newest();
            return executor.call("b", () -> {
                assertThat(newest().isCarried()).isTrue();
                assertThat(outer.sharesGlobal()).isFalse();
                assertThat(carried("b")).isEqualTo(1);
                assertThat(running("b")).isEqualTo(1);
                assertThat(executor.stats().inFlight()).isEqualTo(1);
                return executor.call("c", () -> {
                    assertThat(newest().isCarried()).isTrue();
                    assertThat(executor.stats().inFlight()).isEqualTo(1);
                    return executor.call("b", WORK);
                });
            });
        });

        assertThat(value).isEqualTo("done");
        assertThat(carried("b")).isZero();
        assertThat(executor.stats().inFlight()).isZero();
        assertThat(executor.groupStats("b").orElseThrow().totals().succeeded()).isEqualTo(3);
    }

    @Test
    void aTaskCarriesItToo() throws Exception {
        boolean carried = executor.submit("a", "1", () -> executor.call("b", () -> newest().isCarried()))
                .await()
                .value();

        assertThat(carried).isTrue();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void whoIsInsideAPermitCarriesItToo() throws Exception {
        try (GroupPermit permit = executor.acquire("a")) {
            assertThat(permit.call(() -> executor.call("b", () -> newest().isCarried())))
                    .isTrue();
        }
    }

    @Test
    @Tag("E12")
    void itCountsByItsOutcome() throws Exception {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> executor.call(
                        "a",
                        () -> executor.call("b", () -> {
                            throw new IllegalArgumentException("meant");
                        })));

        assertThat(executor.groupStats("b").orElseThrow().totals().failed()).isEqualTo(1);
        assertThat(carried("b")).isZero();
        executor.evictGroup("b");
        executor.call("a", () -> executor.call("b", WORK));
        assertThat(executor.stats().totals().succeeded()).isEqualTo(3 + 2);
        assertThat(executor.stats().totals().failed()).isEqualTo(2);
    }

    // ---- what a platform thread keeps

    @Test
    void aPlatformThreadKeepsBothHolds() throws Exception {
        elsewhere(() -> {
            List<Hold> holds = new ArrayList<>();
            Callable<String> inner = () -> {
                holds.add(newest());
                return "done";
            };
            for (int i = 0; i < 3; i++) {
                executor.call("a", () -> {
                    holds.add(newest());
                    return executor.call("b", inner) + executor.call("c", inner);
                });
                executor.call("c", WORK); // on the outer one
            }
            assertThat(holds).hasSize(9);
            assertThat(holds.stream().distinct()).hasSize(2);
            return null;
        });
    }

    @Test
    void whatIsDeeperIsNotKept() throws Exception {
        elsewhere(() -> {
            executor.call("a", () -> executor.call("b", () -> executor.call("c", WORK)));
            Hold kept =
                    Objects.requireNonNull(EngineAccess.engine(executor).holds.top(Thread.currentThread()));
            assertThat(kept.isParked()).isTrue();
            Hold outer = Objects.requireNonNull(kept.below);
            assertThat(outer.isParked()).isTrue();
            assertThat(outer.below).isNull();
            return null;
        });
    }

    @Test
    void aThreadThatHasEndedIsNotKept() throws Exception {
        Thread first = elsewhere(() -> executor.call("a", () -> executor.call("b", Thread::currentThread)));
        Deadline.join(first);

        EngineAccess.engine(executor).holds.forgetLeftBehind();

        assertThat(EngineAccess.engine(executor).holds.top(first)).isNull();
    }

    @Test
    void whatIsKeptGoesWithTheOuterIfThatIsShared() throws Exception {
        elsewhere(() -> {
            executor.call("a", () -> executor.call("b", WORK));
            GroupPermit shared = executor.call("a", () -> {
                executor.call("b", WORK);
                return executor.enclosingPermit("a").orElseThrow();
            });
            assertThat(EngineAccess.engine(executor).holds.top(Thread.currentThread()))
                    .isNull();
            assertThat(running("a")).isEqualTo(1);
            shared.close();
            assertThat(executor.call("a", () -> executor.call("b", WORK))).isEqualTo("done");
            return null;
        });
    }

    @Test
    void groupsThatAreGoneAreNotKept() throws Exception {
        executor.updatePolicy(executor.policy().toBuilder().maxIdleGroups(0).build());
        elsewhere(() -> {
            for (int i = 0; i < 3; i++) {
                executor.call(
                        "a",
                        () -> executor.call("b", () -> {
                            Hold outer = Objects.requireNonNull(newest().below);
                            assertThat(outer.group.key).isEqualTo("a");
                            return null;
                        }));
                assertThat(EngineAccess.engine(executor).holds.top(Thread.currentThread()))
                        .isNull();
            }
            return null;
        });
        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    void aVirtualThreadKeepsNothing() throws Exception {
        Hold left = Caller.start(() -> {
                    executor.call("a", () -> executor.call("b", () -> executor.call("c", WORK)));
                    return EngineAccess.engine(executor).holds.top(Thread.currentThread());
                })
                .result();

        assertThat(left).isNull();
    }

    // ---- the first limit over all groups

    @Test
    @Tag("I1")
    void theFirstLimitCountsItNot() throws Exception {
        executor.call("a", () -> {
            executor.call("b", () -> {
                limit(2);
                assertThat(executor.stats().inFlight()).isEqualTo(1);
                GroupPermit second = elsewhere(() -> executor.acquire("x"));
                assertThat(isFree("y")).isFalse();
                second.close();
                return null;
            });
            assertThat(executor.stats().inFlight()).isEqualTo(1);
            assertThat(isFree("y")).isTrue();
            executor.call("b", () -> {
                GroupPermit second = elsewhere(() -> executor.acquire("x"));
                assertThat(isFree("y")).isFalse();
                second.close();
                return null;
            });
            return null;
        });

        GroupPermit first = executor.acquire("x");
        GroupPermit second = executor.acquire("y");
        assertThat(isFree("z")).isFalse();
        second.close();
        first.close();
        assertThat(EngineAccess.engine(executor).ledger.permits.areAllHere() || executor.awaitQuiet(Deadline.LONG))
                .isTrue();
    }

    // ---- lending

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, FAR_AWAY})
    @Tag("E13")
    void itsPermitsAreLent(int globalMaxInFlight) throws Exception {
        start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1)
                .globalMaxInFlight(globalMaxInFlight)
                .build());

        String ran = elsewhere(() -> executor.call(
                "a",
                () -> executor.call("b", () -> {
                    assertThat(newest().isCarried()).isTrue();
                    String inB = executor.submit("b", "1", WORK).await().value();
                    String inA = executor.submit("a", "1", WORK).await().value();
                    assertThat(newest().isCarried()).isTrue();
                    assertThat(executor.stats().inFlight()).isEqualTo(1);
                    return inB + inA;
                })));

        assertThat(ran).isEqualTo("donedone");
        assertThat(executor.stats().inFlight()).isZero();
        assertThat(executor.call("a", () -> executor.call("b", WORK))).isEqualTo("done");
    }

    @Test
    @Tag("E13")
    void theFirstLimitComesWhileItsPermitsAreLent() throws Exception {
        start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1).build());
        Caller<String> caller = Caller.startPlatform(() -> executor.call(
                "a",
                () -> executor.call(
                        "b",
                        () -> executor.submit("b", "1", gate.then("done"))
                                .await()
                                .value())));
        gate.awaitArrived(1);

        limit(2);

        GroupPermit second = executor.acquire("x");
        assertThat(isFree("y")).isFalse();
        gate.open();
        assertThat(caller.result()).isEqualTo("done");
        second.close();
        GroupPermit one = executor.acquire("x");
        GroupPermit two = executor.acquire("y");
        assertThat(isFree("z")).isFalse();
        one.close();
        two.close();
    }

    // ---- what outlives it

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, FAR_AWAY})
    @Tag("E15")
    @Tag("I3")
    void whatSharesItOutlivesIt(int globalMaxInFlight) throws Exception {
        limit(globalMaxInFlight);
        start(executor.policy());

        GroupPermit permit = executor.call(
                "a",
                () -> executor.call("b", () -> {
                    GroupPermit shared = executor.enclosingPermit("b").orElseThrow();
                    assertThat(newest().isCarried()).isFalse();
                    assertThat(newest().isNested()).isTrue();
                    assertThat(carried("b")).isZero();
                    assertThat(executor.stats().inFlight()).isEqualTo(1);
                    assertThat(executor.call("c", () -> newest().isCarried())).isTrue();
                    return shared;
                }));

        assertThat(running("a")).isZero();
        assertThat(running("b")).isEqualTo(1);
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        limit(1);
        assertThat(isFree("x")).isFalse();
        permit.close();
        assertThat(isFree("x")).isTrue();
        assertThat(executor.stats().inFlight()).isZero();
    }

    // ---- user code amid a wait

    /** Hears on the waiting thread that what it has cancelled is over. */
    private final class Nosy implements TaskLifecycleListener {
        private final Thread waiting = Thread.currentThread();
        private final List<Boolean> carried = new CopyOnWriteArrayList<>();

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            if (Thread.currentThread().equals(waiting) && groupKey.equals("b") && !taskId.isEmpty()) {
                try {
                    boolean was = executor.call("c", () -> newest().isCarried());
                    carried.add(was);
                } catch (Exception failure) {
                    throw new IllegalStateException(failure);
                }
            }
        }
    }

    @Test
    @Tag("E13")
    @Tag("I3")
    void nothingIsCarriedByWhatItsThreadOffersAmidAWait() throws Exception {
        Caller<List<Boolean>> caller = Caller.startPlatform(() -> {
            Nosy nosy = new Nosy();
            start(GroupPolicy.builder()
                    .defaultMaxConcurrencyPerGroup(1)
                    .taskLifecycleListener(nosy)
                    .build());
            GroupPermit held = executor.acquire("b");
            List<GroupTask<String>> tasks = List.of(new GroupTask<>("b", "1", WORK), new GroupTask<>("b", "2", WORK));
            executor.call("a", () -> {
                executor.executeAll(tasks);
                assertThat(Thread.interrupted()).isTrue();
                assertThat(newest().isOffered()).isFalse();
                assertThat(executor.call("c", () -> newest().isCarried())).isTrue();
                return null;
            });
            held.close();
            return nosy.carried;
        });
        Deadline.until(
                "it waits",
                () -> executor.groupStats("b").map(b -> b.queued() == 2).orElse(false));

        caller.interrupt();

        assertThat(caller.result()).isNotEmpty().doesNotContain(true);
    }
}
