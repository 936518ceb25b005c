package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.internal.work.Inside;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The hold that a platform thread keeps from one call to the next. No listener, which would send calls the long way. */
class ParkedHoldTests {

    private static final Callable<String> WORK = () -> "done";

    @RegisterExtension
    final Engines engines = new Engines();

    private GroupExecutor executor;
    private Holds holds;

    @BeforeEach
    void start() {
        executor = engines.startPlain(GroupPolicy.builder().build());
        holds = EngineAccess.engine(executor).holds;
    }

    @Test
    void aPlatformThreadKeepsItsHoldFromCallToCall() throws Exception {
        onPlatformThread(() -> {
            executor.call("a", WORK);
            Hold parked = parked();
            assertThat(parked).isNotNull();

            executor.call("b", () -> {
                assertThat(holds.topOpen(Thread.currentThread())).isSameAs(parked);
                assertThat(parked.group.key).isEqualTo("b");
                assertThat(executor.groupStats("b").orElseThrow().running()).isEqualTo(1);
                return null;
            });

            assertThat(parked()).isSameAs(parked);
        });
    }

    @Test
    void theIdleSweepLetsGoOfThreadsThatHaveEnded() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor swept =
                engines.startPlain(GroupPolicy.builder().build(), new Surroundings(clock, TaskThreads.VIRTUAL, false));
        WeakReference<Thread> ended = callAndEnd(swept);

        clock.advance(Duration.ofHours(1));
        EngineAccess.runDue(swept);

        Waits.awaitCollected(ended);
    }

    private static WeakReference<Thread> callAndEnd(GroupExecutor executor) throws Exception {
        Thread thread = Caller.startPlatform(() -> {
                    executor.call("a", WORK);
                    return Thread.currentThread();
                })
                .result();
        assertThat(thread.join(Deadline.LONG)).isTrue();
        return new WeakReference<>(thread);
    }

    @Test
    void aVirtualThreadKeepsNone() throws Exception {
        Hold left = Caller.start(() -> {
                    executor.call("a", WORK);
                    return holds.top(Thread.currentThread());
                })
                .result();

        assertThat(left).isNull();
    }

    @Test
    void aCallThatFailsKeepsItToo() throws Exception {
        onPlatformThread(() -> {
            executor.call("a", WORK);
            Hold parked = parked();

            Throwable failure = null;
            try {
                executor.call("a", () -> {
                    throw new IllegalArgumentException("meant");
                });
            } catch (IllegalArgumentException expected) {
                failure = expected;
            }

            assertThat(failure).hasMessage("meant");
            assertThat(executor.groupStats("a").orElseThrow().totals().failed()).isEqualTo(1);
            assertThat(parked()).isSameAs(parked);
        });
    }

    @Test
    void aGroupThatIsGoneIsNotKept() throws Exception {
        executor.updatePolicy(executor.policy().toBuilder().maxIdleGroups(0).build());

        onPlatformThread(() -> {
            executor.call("a", WORK);
            assertThat(holds.top(Thread.currentThread())).isNull();
        });

        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    @Tag("I3")
    void aPermitOfTheSameGroupOutlivesTheCall() throws Exception {
        onPlatformThread(() -> {
            executor.call("a", WORK);
            GroupPermit permit =
                    executor.call("a", () -> executor.enclosingPermit("a").orElseThrow());
            assertThat(parked()).isNull();
            assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);

            assertThat(executor.call(
                            "b", () -> executor.groupStats("b").orElseThrow().running()))
                    .isEqualTo(1);
            onPlatformThread(permit::close);

            assertThat(executor.groupStats("a").orElseThrow().running()).isZero();
            executor.call("a", WORK);
            assertThat(parked()).isNotNull();
        });
    }

    @Test
    void aPermitOfAnotherGroupOutlivesTheCall() throws Exception {
        executor.updatePolicy(executor.policy().toBuilder().globalMaxInFlight(1).build());
        onPlatformThread(() -> {
            executor.call("a", WORK);
            GroupPermit permit = executor.call(
                    "a",
                    () -> executor.call("b", () -> executor.enclosingPermit("b").orElseThrow()));
            assertThat(executor.groupStats("a").orElseThrow().running()).isZero();
            assertThat(executor.stats().inFlight()).isEqualTo(1);
            assertThat(elsewhere(() -> executor.tryAcquire("c", Duration.ZERO))).isEmpty();

            permit.close();
            assertThat(elsewhere(() -> executor.call("c", WORK))).isEqualTo("done");
            executor.call("a", WORK);
            assertThat(executor.stats().inFlight()).isZero();
        });
    }

    @Test
    void whoIsInsideAPermitTakesThePlaceOfAParkedHold() throws Exception {
        onPlatformThread(() -> {
            executor.call("a", WORK);
            try (GroupPermit permit = executor.acquire("b")) {
                assertThat(parked()).isNotNull();
                Hold inside = permit.call(() -> holds.top(Thread.currentThread()));
                assertThat(inside).isInstanceOf(Inside.class);
            }
            assertThat(holds.top(Thread.currentThread())).isNull();
        });
    }

    @Test
    void aLateCloseElsewhereLeavesTheParkedHold() throws Exception {
        onPlatformThread(() -> {
            executor.call("a", WORK);
            Hold parked = parked();

            Thread caller = Thread.currentThread();
            onPlatformThread(() -> holds.prune(caller));

            assertThat(parked()).isNotNull().isSameAs(parked);
        });
    }

    @Test
    void aThreadTakesTheSlotOfOneThatHasEnded() throws Exception {
        Thread first = elsewhere(() -> executor.call("a", Thread::currentThread));
        Deadline.join(first);

        Holder next = nextWithTheSlotOf(first);

        assertThat(holds.top(first)).isNull();
        assertThat(holds.top(next.thread)).isSameAs(next.hold);
        close(next.hold);
    }

    @Test
    void aThreadLeavesTheSlotOfOneThatLives() throws Exception {
        Gate gate = new Gate();
        Caller<?> first = Caller.startPlatform(() -> {
            executor.call("a", WORK);
            gate.pass();
            return null;
        });
        gate.awaitArrived(1);
        Hold parked = holds.top(first.thread());

        Holder next = nextWithTheSlotOf(first.thread());

        assertThat(holds.top(first.thread())).isSameAs(parked);
        assertThat(holds.top(next.thread)).isSameAs(next.hold);
        close(next.hold);
        holds.prune(next.thread);
        assertThat(holds.top(next.thread)).isNull();
        gate.open();
        Object unused = first.result();
    }

    @Test
    void aHoldThatIsNotInItsSlotIsNotParked() {
        Thread first = new Thread();
        Hold inSlot = hold();
        holds.push(inSlot, first);
        Hold aside = nextWithTheSlotOf(first).hold;

        assertThat(aside.park()).isFalse();
        assertThat(inSlot.park()).isTrue();
        close(aside);
    }

    @Test
    void aCallIsFoundThoughAResolverHasTakenThePlaceOfTheParkedHold() throws Exception {
        assertThat(reentersAfterAResolverThat(WORK)).isTrue();
    }

    @Test
    void aCallIsFoundThoughAResolverHasSharedAPermit() throws Exception {
        List<GroupPermit> kept = new ArrayList<>();

        assertThat(reentersAfterAResolverThat(() -> {
                    kept.add(executor.enclosingPermit("old").orElseThrow());
                    return "done";
                }))
                .isTrue();

        kept.getFirst().close();
    }

    /** Calls a group that another thread makes while the caller is still asked for its limit, and asks for it again inside. */
    private boolean reentersAfterAResolverThat(Callable<String> inside) throws Exception {
        AtomicReference<Thread> asked = new AtomicReference<>();
        GroupExecutor own = engines.startPlain(GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    if (key.equals("new") && asked.compareAndSet(null, Thread.currentThread())) {
                        resolve(asked.get(), inside);
                    }
                    return 1;
                })
                .build());
        executor = own;
        return Caller.startPlatform(() -> {
                    own.call("old", WORK); // leaves a parked hold
                    return own.call("new", () -> {
                        var again = own.enclosingPermit("new");
                        again.ifPresent(GroupPermit::close);
                        return again.isPresent();
                    });
                })
                .result();
    }

    private void resolve(Thread caller, Callable<String> inside) {
        try {
            assertThat(Thread.currentThread()).isSameAs(caller);
            executor.call("old", inside);
            assertThat(elsewhere(() -> executor.call("new", WORK))).isEqualTo("done"); // and leaves it fast
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void close(Hold hold) {
        assertThat(Hold.wasLast(hold.closeForThread())).isTrue();
    }

    private record Holder(Thread thread, Hold hold) {}

    private Hold hold() {
        Hold hold = new Hold(EngineAccess.engine(executor).group("other"));
        hold.setParkable();
        return hold;
    }

    /** Registers a hold of a thread, which isn't started, that has the slot of another. */
    private Holder nextWithTheSlotOf(Thread other) {
        Thread thread = new Thread();
        while (Holds.slotOf(thread) != Holds.slotOf(other)) {
            thread = new Thread();
        }
        Holder next = new Holder(thread, hold());
        holds.push(next.hold, thread);
        return next;
    }

    private Hold parked() {
        return holds.parked(Thread.currentThread());
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void onPlatformThread(Action action) throws Exception {
        Object unused = elsewhere(() -> {
            action.run();
            return action;
        });
    }

    private static <T> T elsewhere(Callable<T> work) throws Exception {
        return Caller.startPlatform(work).result();
    }
}
