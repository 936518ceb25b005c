package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What comes while a group has left its own lock, or is between two portions, and global permits run short. */
class GlobalPermitsMeanwhileTests {

    @RegisterExtension
    final Engines engines = new Engines();

    @Test
    @Tag("W1")
    void aCreditOfAGroupThatDiesMeanwhileStartsWhatWaitsInAnother() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .globalMaxInFlight(2)
                .defaultMaxConcurrencyPerGroup(1)
                .maxIdleGroups(0)
                .build());
        Ledger ledger = EngineAccess.engine(executor).ledger;
        // "a" has its only permit out, and one waits for that; the ledger is loose.
        Gate held = new Gate();
        Group a = EngineAccess.engine(executor).group("a");
        a.enter();
        a.exit(new Batch(EngineAccess.engine(executor)));
        assertThat(a.tryTakeFast(a.home)).isNotEqualTo(Group.NOT_TAKEN);
        TaskHandle<String> first = executor.submit("a", "first", () -> "done");
        assertThat(ledger.isOn()).isFalse();

        // As in Group.giveBack, while somebody else binds.
        Gate entered = new Gate();
        Gate bound = new Gate();
        Caller<Object> releaser = Caller.start(() -> {
            Batch batch = new Batch(EngineAccess.engine(executor));
            a.enter();
            try {
                entered.open();
                bound.passStubbornly();
                a.putBack(Piece.ALL);
            } finally {
                a.exit(batch);
            }
            batch.carryOut();
            return null;
        });
        entered.passStubbornly();
        executor.submit("c", "holder", held.then("held")); // the other credit
        TaskHandle<String> waiting = executor.submit("b", "waiting", () -> "done");
        assertThat(ledger.isOn()).isTrue();
        ledger.lock();
        try {
            bound.open();
            Deadline.until("it has left its own lock", () -> ledger.lock.hasQueuedThread(releaser.thread()));
            first.cancel(true);
            assertThat(a.isDead()).isTrue();
        } finally {
            ledger.unlock();
        }
        releaser.result();

        long queued = executor.stats().queued();
        held.open();
        assertThat(queued).as("waiting in b while a global permit is free").isZero();
        assertThat(Deadline.within(waiting::await).value()).isEqualTo("done");
    }

    @Test
    @Tag("E17")
    void whoComesToAnotherGroupBetweenTwoPortionsStaysBehind() throws Exception {
        AtomicReference<Runnable> inBetween = new AtomicReference<>();
        TaskThreads threads = (name, work) -> {
            Runnable once = inBetween.getAndSet(null);
            if (once != null) {
                once.run();
            }
            return TaskThreads.VIRTUAL.unstarted(name, work);
        };
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder()
                        .globalMaxInFlight(3)
                        .defaultMaxConcurrencyPerGroup(3)
                        .build(),
                new Surroundings(System::nanoTime, threads, true).withPortion(1));
        Gate gate = new Gate();
        executor.pause("a");
        List<TaskHandle<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(executor.submit("a", "" + i, gate.then("done")));
        }
        List<Boolean> overtook = new CopyOnWriteArrayList<>();
        inBetween.set(() -> overtook.add(overtakes(executor)));

        executor.resume("a");
        gate.open();

        for (TaskHandle<String> handle : waiting) {
            assertThat(Deadline.within(handle::await).value()).isEqualTo("done");
        }
        assertThat(overtook).containsExactly(false);
    }

    /** {@return whether somebody else gets a permit of another group right now} */
    private static boolean overtakes(GroupExecutor executor) {
        try {
            return Caller.start(() -> {
                        Optional<GroupPermit> permit = executor.tryAcquire("b", Duration.ZERO);
                        permit.ifPresent(GroupPermit::close);
                        return permit.isPresent();
                    })
                    .result();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
