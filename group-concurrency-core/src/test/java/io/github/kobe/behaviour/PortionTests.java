package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What touches a long queue does so in portions, with the lock free in between. What a critical section has decided is
 * carried out after it: a thread is made for each start and for each report. So whoever looks at the queue when a thread is
 * made sees what each of the critical sections has left in it.
 */
@Tag("E17")
class PortionTests {

    private static final int WAITING = 2_500;

    /** What each portion leaves. */
    private static final List<Long> LEFT = List.of(1_500L, 500L, 0L);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();
    private final Gate end = new Gate();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicReference<GroupExecutor> executor = new AtomicReference<>();

    /** The names of the threads that were made, and how many waited then; while {@link #looking}. */
    private final List<String> made = new CopyOnWriteArrayList<>();

    private final List<Long> left = new CopyOnWriteArrayList<>();
    private volatile boolean looking;
    /** Taken once, between the first portion and the second. */
    private final AtomicReference<Runnable> inBetween = new AtomicReference<>();

    private GroupExecutor start(GroupPolicy policy, boolean timers) {
        executor.set(engines.startPlain(policy, new Surroundings(clock, this::make, timers)));
        return executor.get();
    }

    private Thread make(String name, Runnable work) {
        if (looking) {
            made.add(name);
            left.add(executor.get().stats().queued());
            Runnable once = inBetween.getAndSet(null);
            if (once != null) {
                once.run();
            }
        }
        return TaskThreads.VIRTUAL.unstarted(name, work);
    }

    private List<TaskHandle<Integer>> submitMany(String key, int count) {
        List<TaskHandle<Integer>> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            handles.add(executor.get().submit(key, "task " + i, () -> {
                end.passStubbornly(); // so that nothing is given back meanwhile
                return ran.incrementAndGet();
            }));
        }
        return handles;
    }

    private void hold(String key) {
        executor.get().submit(key, "holder", gate.then("held"));
        gate.awaitArrived(1);
    }

    private static void assertAll(List<? extends TaskHandle<?>> handles, TaskStatus status) throws Exception {
        for (TaskHandle<?> handle : handles) {
            assertThat(Deadline.within(handle::await).status()).isEqualTo(status);
        }
    }

    // ---------------------------------------------------------------- a raised limit

    @Test
    @Tag("I4")
    void aRaisedLimitStartsWhatWaitsInPortions() throws Exception {
        GroupExecutor subject = start(GroupPolicy.builder().build(), true);
        hold("a");
        List<TaskHandle<Integer>> waiting = submitMany("a", WAITING);
        looking = true;

        subject.setLimits("a", GroupLimits.unset().withMaxConcurrency(WAITING + 1));

        looking = false;
        assertThat(left).hasSize(WAITING);
        assertThat(left.stream().distinct()).containsExactlyElementsOf(LEFT);
        gate.open();
        end.open();
        assertAll(waiting, TaskStatus.SUCCESS);
    }

    /** While somebody waits for quiet, all starts are decided in one place, by turns. It ends here between two portions. */
    @Test
    @Tag("I4")
    void whoIsBehindAGroupThatHasLeftOffIsNotForgotten() throws Exception {
        GroupLimits longTurns = GroupLimits.unset().withWeight(1_000);
        GroupExecutor subject = engines.startPlain(
                GroupPolicy.builder().group("a", longTurns).build(),
                new Surroundings(clock, this::make, true).withPortion(100));
        executor.set(subject);
        subject.call("b", () -> "used before");
        hold("a");
        List<TaskHandle<Integer>> waiting = submitMany("a", 250);
        Caller<Boolean> watcher = Caller.start(() -> subject.awaitQuiet(Deadline.LONG));
        watcher.awaitBlocked();
        AtomicReference<Caller<String>> behind = new AtomicReference<>();
        inBetween.set(() -> {
            watcher.interrupt();
            Deadline.until("nobody waits for quiet", watcher::isDone);
            behind.set(Caller.start(() -> subject.call("b", () -> "started")));
            Deadline.until("another portion of the first group has come before it", () -> left.getLast() <= 51);
        });
        looking = true;

        subject.setLimits("a", longTurns.withMaxConcurrency(251));

        looking = false;
        assertThat(behind.get().result()).isEqualTo("started");
        gate.open();
        end.open();
        assertAll(waiting, TaskStatus.SUCCESS);
    }

    @Test
    @Tag("G17")
    void whoComesBetweenTwoPortionsStaysBehind() throws Exception {
        GroupExecutor subject = start(GroupPolicy.builder().build(), true);
        hold("a");
        List<TaskHandle<Integer>> waiting = submitMany("a", WAITING);
        AtomicReference<TaskHandle<Integer>> late = new AtomicReference<>();
        AtomicReference<Caller<Boolean>> never = new AtomicReference<>();
        inBetween.set(() -> {
            late.set(submitMany("a", 1).getFirst());
            never.set(Caller.start(() -> subject.tryAcquire("a", Duration.ZERO).isPresent()));
        });
        looking = true;

        subject.setLimits("a", GroupLimits.unset().withMaxConcurrency(WAITING + 1));

        looking = false;
        end.awaitArrived(WAITING);
        assertThat(subject.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        assertThat(ran).hasValue(0);
        assertThat(never.get().result()).isFalse();
        gate.open();
        end.open();
        assertThat(Deadline.within(late.get()::await).status()).isEqualTo(TaskStatus.SUCCESS);
        assertAll(waiting, TaskStatus.SUCCESS);
    }

    @Test
    @Tag("E2")
    @Tag("W7")
    void aRaisedGlobalLimitStartsInTurnInPortions() throws Exception {
        GroupExecutor subject = start(
                GroupPolicy.builder()
                        .globalMaxInFlight(1)
                        .defaults(GroupLimits.unset().withMaxConcurrency(10_000).withWeight(300))
                        .build(),
                true);
        hold("x");
        List<TaskHandle<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < WAITING / 5; i++) {
            for (String key : List.of("a", "b", "c", "d", "e")) {
                waiting.addAll(submitMany(key, 1));
            }
        }
        AtomicInteger begun = new AtomicInteger();
        List<String> first = new ArrayList<>();
        inBetween.set(() -> {
            int before = made.size();
            waiting.addAll(submitMany("newcomer", 1));
            first.addAll(made.subList(before, made.size()));
            begun.set(made.size() - before);
        });
        looking = true;

        subject.updatePolicy(
                subject.policy().toBuilder().globalMaxInFlight(10_000).build());

        looking = false;
        assertThat(left).hasSize(WAITING + 1);
        for (int i = 1; i < left.size(); i++) {
            assertThat(left.get(i - 1) - left.get(i)).isLessThanOrEqualTo(1_000);
        }
        // The first thousand were 300 of a, b and c, which hold more now, and 100 of d. It joins behind d and e.
        assertThat(first.subList(0, 500))
                .containsOnly("d", "e")
                .filteredOn("d"::equals)
                .hasSize(200);
        assertThat(first.get(500)).isEqualTo("newcomer");
        assertThat(begun.get())
                .as("its submitter goes on until it finds nothing to do")
                .isGreaterThan(501);
        gate.open();
        end.open();
        assertAll(waiting, TaskStatus.SUCCESS);
    }

    // ---------------------------------------------------------------- time-outs

    @Test
    @Tag("E3")
    void aTimeOutEndsWhatWaitsInPortions() throws Exception {
        GroupExecutor subject =
                start(GroupPolicy.builder().queueTimeout(Duration.ofSeconds(1)).build(), false);
        hold("a");
        List<TaskHandle<Integer>> waiting = submitMany("a", WAITING);
        AtomicReference<TaskHandle<Integer>> late = new AtomicReference<>();
        inBetween.set(() -> late.set(submitMany("a", 1).getFirst()));
        looking = true;

        clock.advance(Duration.ofSeconds(1), subject);

        looking = false;
        assertThat(left.stream().distinct()).containsExactly(1_500L, 501L, 1L);
        for (TaskHandle<Integer> handle : waiting) {
            Deadline.until("rejected", handle::isDone);
        }
        gate.open();
        end.open();
        assertThat(Deadline.within(late.get()::await).status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(ran).hasValue(1);
    }

    @Test
    @Tag("E3")
    void whoGivesBackAPermitEndsWhatIsTooLateInPortions() throws Exception {
        GroupExecutor subject =
                start(GroupPolicy.builder().queueTimeout(Duration.ofSeconds(1)).build(), false);
        hold("a");
        List<TaskHandle<Integer>> waiting = submitMany("a", WAITING);
        clock.advance(Duration.ofSeconds(1));
        TaskHandle<Integer> inTime = submitMany("a", 1).getFirst();
        end.open();
        looking = true;

        gate.open();

        assertThat(Deadline.within(inTime::await).value()).isEqualTo(1);
        looking = false;
        assertThat(left.stream().distinct()).containsExactly(1_501L, 501L, 0L);
        for (TaskHandle<Integer> handle : waiting) {
            Deadline.until("rejected", handle::isDone);
        }
        EngineAccess.runDue(subject);
    }

    // ---------------------------------------------------------------- shutdowns

    @Test
    @Tag("G41")
    void aShutdownHasWhatWaitsEndedByAThreadOfItsOwnInPortions() throws Exception {
        GroupExecutor subject = start(GroupPolicy.builder().build(), true);
        hold("a");
        List<TaskHandle<Integer>> waiting = submitMany("a", WAITING);
        looking = true;

        subject.shutdown();

        assertAll(waiting, TaskStatus.CANCELLED);
        looking = false;
        assertThat(left.stream().distinct()).containsExactly((long) WAITING, 1_500L, 500L, 0L);
        assertThat(subject.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(ran).hasValue(0);
    }

    @Test
    @Tag("G42")
    void aDrainEndsWhatWaitsInAPausedGroupInPortions() throws Exception {
        GroupExecutor subject = start(GroupPolicy.builder().build(), true);
        subject.pause("a");
        List<TaskHandle<Integer>> waiting = submitMany("a", WAITING);
        looking = true;

        assertThat(subject.shutdown(Deadline.LONG)).isFalse();

        looking = false;
        assertThat(left.stream().distinct()).containsExactlyElementsOf(LEFT);
        assertAll(waiting, TaskStatus.CANCELLED);
    }

    @Test
    @Tag("G43")
    void aGroupShutdownEndsInPortionsWhatWaitedWhenItCame() throws Exception {
        GroupExecutor subject = start(GroupPolicy.builder().build(), true);
        TaskHandle<String> holder = subject.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        List<TaskHandle<Integer>> waiting = submitMany("a", WAITING);
        ConcurrentLinkedQueue<TaskHandle<Integer>> later = new ConcurrentLinkedQueue<>();
        inBetween.set(() -> {
            later.addAll(submitMany("a", 5));
            waiting.subList(2_000, 2_010).forEach(handle -> handle.cancel(true));
            gate.open(); // what waits is not to start instead
            Deadline.until("the holder has ended", holder::isDone);
        });
        looking = true;

        subject.shutdownGroup("a");

        looking = false;
        // Ten have left by themselves; of the five newcomers one starts when all before them are gone.
        assertThat(left.stream().distinct()).containsExactly(1_500L, 495L, 4L);
        end.open();
        assertAll(waiting, TaskStatus.CANCELLED);
        assertAll(List.copyOf(later), TaskStatus.SUCCESS);
        assertThat(ran).hasValue(5);
        assertThat(holder.await().value()).isEqualTo("held");
    }
}
