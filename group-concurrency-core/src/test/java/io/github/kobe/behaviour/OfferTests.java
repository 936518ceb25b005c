package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Forks;
import io.github.kobe.audit.Witness;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E13: who waits for what he has forked offers it his permits, to one after the other. */
@Tag("E13")
class OfferTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private GroupExecutor executor;

    private void start(int globalLimit) {
        executor = engines.start(
                GroupPolicy.builder().globalMaxInFlight(globalLimit).build());
    }

    private void start(int limit, int globalLimit) {
        executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(limit)
                .globalMaxInFlight(globalLimit)
                .build());
    }

    /** Joins, inside a group, so that the witness knows of it. */
    private void join(Forks forks, String group) throws Exception {
        engines.witness(executor).waiting(group, () -> {
            forks.join();
            return null;
        });
    }

    // ---------------------------------------------------------------- no deadlock, at any limit

    /** Forks one task inside another, one level for each of the groups, from inside {@code group}. */
    private int chain(Lineage parent, String group, List<String> groups) throws Exception {
        Forks forks = new Forks(executor, parent);
        String own = groups.getFirst();
        List<String> rest = groups.subList(1, groups.size());
        TaskHandle<Integer> fork =
                forks.fork(own, "depth-" + rest.size(), () -> rest.isEmpty() ? 1 : 1 + chain(forks, own, rest));
        if (group == null) {
            forks.join();
        } else {
            join(forks, group);
        }
        return fork.await().value();
    }

    @Test
    void aChainInOneGroupEndsAtLimitOne() throws Exception {
        start(1);

        assertThat(chain(null, null, List.of("g", "g", "g", "g", "g"))).isEqualTo(5);
        assertThat(engines.witness(executor).peakRunning("g")).isEqualTo(1);
    }

    @Test
    void aChainThroughTwoGroupsInTurnEndsAtLimitOneAndGlobalLimitOne() throws Exception {
        start(1);

        assertThat(chain(null, null, List.of("g", "h", "g", "h", "g"))).isEqualTo(5);
        assertThat(engines.witness(executor).peakGlobalInFlight()).isEqualTo(1);
    }

    @Test
    void aChainThroughTwoGroupsInTurnEndsWithoutAGlobalLimit() throws Exception {
        start(Integer.MAX_VALUE);

        assertThat(chain(null, null, List.of("g", "h", "g", "h", "g"))).isEqualTo(5);
    }

    @Test
    void aChainThroughFiveGroupsEndsAtGlobalLimitOne() throws Exception {
        start(1);

        assertThat(chain(null, null, List.of("a", "b", "c", "d", "e"))).isEqualTo(5);
    }

    // ---------------------------------------------------------------- to whom, and in which order

    @Test
    void oneForkAfterTheOtherBorrowsInTheOrderInWhichTheyWait() throws Exception {
        start(1);
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            for (int i = 0; i < 5; i++) {
                forks.fork("a", "fork-" + i, () -> "done");
            }
            gate.pass();
            join(forks, "a");
            return "joined";
        });
        gate.awaitArrived(1);
        TaskHandle<String> stranger = executor.submit("a", "stranger", () -> "stranger");
        gate.open();

        assertThat(owner.await().value()).isEqualTo("joined");
        assertThat(stranger.await().value()).isEqualTo("stranger");
        assertThat(engines.witness(executor).started("a"))
                .containsExactly("owner", "fork-0", "fork-1", "fork-2", "fork-3", "fork-4", "stranger");
    }

    @Test
    @Tag("W4")
    void whatIsForkedMeanwhileBorrowsAndTheOwnerNeedNotWake() throws Exception {
        start(1);
        Forks forks = new Forks(executor, null);
        AtomicReference<Thread> thread = new AtomicReference<>();
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            thread.set(Thread.currentThread());
            Object offer = forks.offer();
            engines.witness(executor).waiting("a", () -> {
                gate.pass();
                forks.withdraw(offer);
                return null;
            });
            return "back";
        });
        gate.awaitArrived(1);

        assertThat(Deadline.within(forks.fork("a", "1", () -> "one")::await).value())
                .isEqualTo("one");
        assertThat(Deadline.within(forks.fork("a", "2", () -> "two")::await).value())
                .isEqualTo("two");
        assertThat(Deadline.within(forks.fork("b", "3", () -> "three")::await).value())
                .isEqualTo("three");
        assertThat(Caller.isBlocked(thread.get())).isTrue();

        gate.open();
        assertThat(owner.await().value()).isEqualTo("back");
    }

    @Test
    void whatIsOfferedIsNobodyElses() throws Exception {
        start(1);
        Forks forks = new Forks(executor, null);
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            forks.fork("a", "fork", gate.then("done"));
            join(forks, "a");
            return "joined";
        });
        gate.awaitArrived(1);
        TaskHandle<String> other = new Forks(executor, null).fork("a", "other", () -> "other");
        TaskHandle<String> plain = executor.submit("a", "plain", () -> "plain");

        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(2);
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
        assertThat(executor.holders("a")).extracting(GroupHolder::lent).containsExactlyInAnyOrder(true, false);

        gate.open();
        assertThat(owner.await().value()).isEqualTo("joined");
        assertThat(other.await().value()).isEqualTo("other");
        assertThat(plain.await().value()).isEqualTo("plain");
    }

    @Test
    void twoOwnersOfTwoPermitsHaveTwoForksEachAndNeverMoreThanTwoRun() throws Exception {
        start(2, 2);
        List<TaskHandle<String>> owners = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            owners.add(executor.submit("a", "owner-" + i, () -> {
                Forks forks = new Forks(executor, null);
                forks.fork("a", "1", () -> "one");
                forks.fork("a", "2", () -> "two");
                gate.pass();
                join(forks, "a");
                return "joined";
            }));
        }
        gate.awaitArrived(2);
        gate.open();

        for (TaskHandle<String> owner : owners) {
            assertThat(owner.await().value()).isEqualTo("joined");
        }
        assertThat(engines.witness(executor).peakRunning("a")).isEqualTo(2);
    }

    @Test
    void ofAnOwnerInTwoGroupsEachPermitIsLentByItself() throws Exception {
        start(2);
        Gate both = new Gate();
        Witness witness = engines.witness(executor);
        witness.mayLendUnseen("b");
        TaskHandle<String> owner = executor.submit(
                "a",
                "owner",
                () -> executor.call("b", () -> {
                    Forks forks = new Forks(executor, null);
                    forks.fork("a", "in-a", both.then("a"));
                    forks.fork("b", "in-b", both.then("b"));
                    join(forks, "a");
                    return "joined";
                }));

        both.awaitArrived(2); // one on the owner's global permit, one on the free one
        both.open();

        assertThat(owner.await().value()).isEqualTo("joined");
    }

    @Test
    void aForkOfAPausedGroupKeepsNoOtherFromThePermit() throws Exception {
        start(1);
        executor.pause("b");
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            forks.fork("b", "paused", () -> "paused");
            forks.fork("c", "free", gate.then("free"));
            join(forks, "a");
            return "joined";
        });

        gate.awaitArrived(1);
        gate.open();
        Deadline.until(
                "the free one ended",
                () -> executor.groupStats("c").orElseThrow().running() == 0);
        assertThat(executor.groupStats("b").orElseThrow().queued()).isEqualTo(1);
        executor.resume("b");

        assertThat(owner.await().value()).isEqualTo("joined");
    }

    // ---------------------------------------------------------------- threads of forks that wait for permits

    @Test
    void aForkThatCallsItsOwnersGroupBorrows() throws Exception {
        start(1);
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            TaskHandle<String> fork = forks.fork(
                    "b",
                    "fork",
                    () -> executor.call("a", engines.witness(executor).inside("a", () -> "called")));
            join(forks, "a");
            return fork.await().value();
        });

        assertThat(owner.await().value()).isEqualTo("called");
        assertThat(executor.groupStats("a").orElseThrow().running()).isZero();
    }

    @Test
    void aForkGetsAPermitOfItsOwnersGroupAheadOfOthersThatWaitThere() throws Exception {
        start(1);
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            forks.fork("b", "first", () -> {
                gate.pass();
                return executor.call("a", () -> "inside");
            });
            join(forks, "a");
            return "joined";
        });
        gate.awaitArrived(1);
        Forks second = new Forks(executor, null);
        TaskHandle<String> before = second.fork("a", "before", () -> "before");
        gate.open();

        assertThat(owner.await().value()).isEqualTo("joined");
        assertThat(before.await().value()).isEqualTo("before");
    }

    @Test
    void anInterruptedCallOfAForkGivesBackWhatItWasLent() throws Exception {
        start(Integer.MAX_VALUE);
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            List<TaskHandle<String>> callers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                callers.add(forks.fork("b" + i, "caller", () -> executor.call("a", () -> "called")));
            }
            Caller<String> canceller = Caller.start(() -> {
                callers.forEach(caller -> caller.cancel(true));
                return "cancelled";
            });
            join(forks, "a");
            return canceller.result();
        });

        assertThat(owner.await().value()).isEqualTo("cancelled");
    }

    // ---------------------------------------------------------------- withdrawn, closed, changed

    @Test
    void aBorrowerThatIgnoresInterruptsKeepsTheOwnerWaitingAndNobodyElse() throws Exception {
        start(1, 3);
        CompletableFuture<Thread> withdrawing = new CompletableFuture<>();
        AtomicBoolean back = new AtomicBoolean();
        TaskHandle<Boolean> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            TaskHandle<String> fork = forks.fork("a", "stubborn", gate.stubbornlyThen("done"));
            return engines.witness(executor).waiting("a", () -> {
                Object offer = forks.offer();
                gate.awaitArrived(1);
                fork.cancel(true);
                withdrawing.complete(Thread.currentThread());
                forks.withdraw(offer);
                back.set(true);
                return Thread.interrupted();
            });
        });
        Deadline.within(withdrawing::get).interrupt();

        assertThat(executor.submit("b", "other", () -> "other").await().value()).isEqualTo("other");
        Deadline.until(
                "the owner waits for its permits",
                () -> !withdrawing.join().isInterrupted() && Caller.isBlocked(withdrawing.join()));
        assertThat(back).isFalse();
        gate.open();

        assertThat(owner.await().value()).as("keeps its flag").isTrue();
    }

    /** An owner that lends its permit to a fork, and wants it back while the fork goes on. */
    private final class Reclaiming {

        private final Gate lent = new Gate();
        private final Gate wants = new Gate();
        private final Gate stays = new Gate();
        private final AtomicBoolean back = new AtomicBoolean();
        private final CompletableFuture<Thread> thread = new CompletableFuture<>();
        private final Forks forks = new Forks(executor, null);
        private final CompletableFuture<TaskHandle<String>> fork = new CompletableFuture<>();
        private final TaskHandle<String> owner;

        Reclaiming(String group) throws InterruptedException {
            owner = executor.submit(group, "owner", () -> {
                thread.complete(Thread.currentThread());
                engines.witness(executor).waiting(group, () -> {
                    Object offer = forks.offer();
                    wants.pass();
                    forks.withdraw(offer);
                    return null;
                });
                back.set(true);
                stays.pass();
                return "done";
            });
            wants.awaitArrived(1);
        }

        void lend() throws InterruptedException {
            fork.complete(forks.fork("fork of " + owner.groupKey(), "fork", lent.then("done")));
            lent.awaitArrived(1);
        }

        void awaitWanting() {
            wants.open();
            Deadline.until("the owner wants its permit back", () -> EngineAccess.isReclaiming(thread.join()));
        }

        void awaitBack() {
            Deadline.until("the owner has its permit back", back::get);
        }

        void awaitEnd() throws Exception {
            lent.open();
            stays.open();
            assertThat(fork.join().await().value()).as("the fork went on").isEqualTo("done");
            assertThat(owner.await().value()).isEqualTo("done");
        }
    }

    @Test
    @Tag("I1")
    @Tag("I4")
    void ownersWhoWantTheirPermitsBackTakeWhateverComesFreeAheadOfTheQueue() throws Exception {
        start(3);
        TaskHandle<String> stranger = executor.submit("x", "stranger", gate.then("stranger"));
        gate.awaitArrived(1);
        Reclaiming first = new Reclaiming("a");
        Reclaiming second = new Reclaiming("b");
        first.lend();
        second.lend();

        first.awaitWanting();
        second.awaitWanting();
        second.lent.open();
        second.awaitBack();
        TaskHandle<String> next = executor.submit("y", "next", () -> "next");
        assertThat(first.back).isFalse();
        gate.open();

        first.awaitBack();
        assertThat(engines.witness(executor).started("y")).isEmpty();
        first.awaitEnd();
        second.awaitEnd();
        assertThat(stranger.await().value()).isEqualTo("stranger");
        assertThat(next.await().value()).isEqualTo("next");
    }

    @Test
    @Tag("I4")
    void anOwnerTakesAPermitThatHasBeenFreeForLong() throws Exception {
        start(8);
        List<TaskHandle<String>> strangers = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            strangers.add(executor.submit("x" + i, "stranger", gate.then("stranger")));
        }
        gate.awaitArrived(7);
        Reclaiming owner = new Reclaiming("a");
        owner.lend();
        gate.open();
        for (TaskHandle<String> stranger : strangers) {
            assertThat(stranger.await().value()).isEqualTo("stranger");
        }
        for (int i = 0; i < 200; i++) { // the limit isn't short any more
            assertThat(executor.submit("y", "task", () -> "done").await().value())
                    .isEqualTo("done");
        }

        owner.wants.open();

        owner.awaitBack();
        owner.awaitEnd();
    }

    @Test
    void aPermitThatIsClosedWhileItIsLentIsOutUntilItsOwnerHasLeft() throws Exception {
        start(1);
        engines.witness(executor).mayLendUnseen("a");
        GroupPermit held = executor.acquire("a");
        Caller<String> owner = Caller.start(() -> held.call(() -> {
            Forks forks = new Forks(executor, null);
            forks.fork("a", "fork", gate.then("done"));
            forks.join();
            return "joined";
        }));
        gate.awaitArrived(1);

        held.close();

        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
        TaskHandle<String> next = executor.submit("a", "next", () -> "next");
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        gate.open();
        assertThat(owner.result()).isEqualTo("joined");
        assertThat(next.await().value()).isEqualTo("next");
    }

    @Test
    void aBorrowedPermitThatIsSharedWhileItIsLentOnIsOwedToTheFirstOwner() throws Exception {
        start(Integer.MAX_VALUE);
        engines.witness(executor).mayLendUnseen("a");
        CompletableFuture<GroupPermit> held = new CompletableFuture<>();
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            forks.fork("b", "fork", () -> {
                return executor.call("a", () -> {
                    held.complete(executor.enclosingPermit("a").orElseThrow());
                    Forks inner = new Forks(executor, forks);
                    inner.fork("a", "inner", gate.then("done"));
                    inner.join();
                    return "joined";
                });
            });
            forks.fork("a", "last", () -> "last");
            join(forks, "a");
            return "joined";
        });
        gate.awaitArrived(1);

        held.get().close();
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
        gate.open();

        assertThat(owner.await().value()).isEqualTo("joined");
    }

    @Test
    @Tag("E9")
    void aBorrowerHandsBackWhateverTheLimitIsAndTheNextBorrows() throws Exception {
        start(2, Integer.MAX_VALUE);
        Witness witness = engines.witness(executor);
        Gate second = new Gate();
        TaskHandle<String> running = executor.submit("a", "running", second.then("running"));
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            forks.fork("a", "1", gate.then("one"));
            forks.fork("a", "2", () -> "two");
            join(forks, "a");
            return "joined";
        });
        gate.awaitArrived(1);
        GroupLimits one = GroupLimits.unset().withMaxConcurrency(1);
        witness.changing("a", 1, Integer.MAX_VALUE, () -> executor.setLimits("a", one));
        executor.pause("a");

        gate.open();

        assertThat(owner.await().value()).isEqualTo("joined");
        second.open();
        assertThat(running.await().value()).isEqualTo("running");
        executor.resume("a");
    }

    @Test
    @Tag("G42")
    @Tag("W4")
    void aDrainLetsAnOwnersForksEnd() throws Exception {
        start(1);
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            gate.pass();
            forks.fork("a", "1", () -> "one");
            forks.fork("b", "2", () -> "two");
            join(forks, "a");
            return "joined";
        });
        gate.awaitArrived(1);
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Deadline.LONG));
        Deadline.until("the drain began", executor::isShutdown);
        gate.open();

        assertThat(drain.result()).isTrue();
        assertThat(owner.await().value()).isEqualTo("joined");
    }

    @Test
    @Tag("G43")
    void aGroupShutdownEndsForksThatWaitAndThatRun() throws Exception {
        start(1);
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Forks forks = new Forks(executor, null);
            forks.fork("b", "runs", gate.then("never"));
            forks.fork("b", "waits", () -> "never");
            join(forks, "a");
            return "joined";
        });
        gate.awaitArrived(1);

        executor.shutdownGroup("b");

        assertThat(owner.await().value()).isEqualTo("joined");
    }

    @Test
    @Tag("E10")
    void anOwnerWhoseForksComeAndGoKeepsNoGroupAlive() throws Exception {
        executor = engines.start(
                GroupPolicy.builder().globalMaxInFlight(1).maxIdleGroups(0).build());
        Forks forks = new Forks(executor, null);
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            Object offer = forks.offer();
            engines.witness(executor).waiting("a", () -> {
                gate.pass();
                forks.withdraw(offer);
                return null;
            });
            return "back";
        });
        gate.awaitArrived(1);
        for (int i = 0; i < 50; i++) {
            assertThat(Deadline.within(forks.fork("b" + i, "fork", () -> "done")::await)
                            .value())
                    .isEqualTo("done");
        }

        Deadline.until(
                "only the owner's group is left", () -> executor.groupKeys().equals(Set.of("a")));
        gate.open();
        assertThat(owner.await().value()).isEqualTo("back");
    }

    // ---------------------------------------------------------------- others at work, and who may offer

    @Test
    @Tag("E15")
    void anOwnerThatIsNotAloneInsideItsPermitLendsItOnceItIs() throws Exception {
        start(1);
        engines.witness(executor).mayLendUnseen("a");
        GroupPermit permit = executor.acquire("a");
        Caller<String> other = Caller.start(() -> permit.call(gate.then("other")));
        gate.awaitArrived(1);
        Forks forks = new Forks(executor, null);
        TaskHandle<String> fork = forks.fork("a", "fork", () -> "done");
        Caller<String> owner = Caller.start(() -> permit.call(() -> {
            forks.join();
            return "joined";
        }));
        owner.awaitBlockedOn(fork);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);

        gate.open();

        assertThat(other.result()).isEqualTo("other");
        assertThat(owner.result()).isEqualTo("joined");
        permit.close();
    }

    @Test
    @Tag("E15")
    void whatIsOfferedAndNotLentMayBeEntered() throws Exception {
        start(1);
        engines.witness(executor).mayLendUnseen("a");
        GroupPermit permit = executor.acquire("a");
        Forks forks = new Forks(executor, null);
        Caller<String> owner = Caller.start(() -> permit.call(() -> {
            Object offer = forks.offer();
            gate.passStubbornly();
            forks.withdraw(offer);
            return "back";
        }));
        gate.awaitArrived(1);

        assertThat(Deadline.within(() -> permit.call(() -> "inside"))).isEqualTo("inside");
        assertThat(Deadline.within(forks.fork("a", "fork", () -> "done")::await).value())
                .isEqualTo("done");

        gate.open();
        assertThat(owner.result()).isEqualTo("back");
        permit.close();
    }

    @Test
    void whoHasNothingOffersNothing() {
        start(1);

        assertThat(new Forks(executor, null).offer()).isNull();
    }

    @Test
    void aFamilyHasOneOfferAtATime() throws Exception {
        start(1);
        Forks forks = new Forks(executor, null);

        executor.call("a", () -> {
            Object offer = forks.offer();
            assertThatIllegalStateException().isThrownBy(forks::offer);
            forks.withdraw(offer);
            forks.withdraw(forks.offer());
            return null;
        });
    }

    // ---------------------------------------------------------------- back to an owner that doesn't wait any longer

    @Test
    @Tag("W4")
    void anOwnerThatWantsItsPermitsBackIsNotStarvedByThoseWhoShareAGlobalPermit() throws Exception {
        executor = engines.startPlain(GroupPolicy.builder()
                .globalMaxInFlight(3)
                .group("a", GroupLimits.unset().withMaxConcurrency(2))
                .group("b", GroupLimits.unset().withMaxConcurrency(100))
                .build());
        Gate queued = new Gate();
        CompletableFuture<String> end = new CompletableFuture<>();
        gate.open();
        AtomicReference<Thread> thread = new AtomicReference<>();
        Gate back = new Gate();
        back.open();
        TaskHandle<String> owner = executor.submit("a", "owner", () -> {
            thread.set(Thread.currentThread());
            queued.pass();
            TaskHandle<String> inner = executor.submit("a", "inner", () -> {
                gate.pass();
                return end.get(); // however long that takes
            });
            try {
                return inner.await().value();
            } catch (InterruptedException e) {
                back.pass();
                return "interrupted";
            }
        });
        queued.awaitArrived(1);
        List<GroupPermit> outer = new ArrayList<>();
        List<CompletableFuture<GroupPermit>> nested = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            outer.add(executor.acquire("b"));
            nested.add(outer.getLast().acquireAsync("a").toCompletableFuture());
        }
        List<CompletableFuture<GroupPermit>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(executor.acquireAsync("b").toCompletableFuture());
        }
        queued.open();
        gate.awaitArrived(1);
        thread.get().interrupt();
        Deadline.until(
                "the owner waits for its permits",
                () -> !thread.get().isInterrupted() && Caller.isBlocked(thread.get()));

        // Each asks before the one before it has left.
        for (int i = 0; i < 4 && i < nested.size(); i++) {
            int before = queuedForGlobal();
            outer.get(i).close();
            Deadline.within(nested.get(i)::get).close();
            if (queuedForGlobal() < before) {
                outer.add(Deadline.within(waiting.get(outer.size() - 2)::get));
                nested.add(outer.getLast().acquireAsync("a").toCompletableFuture());
            }
        }
        back.awaitArrived(1);

        assertThat(owner.await().value()).isEqualTo("interrupted");
        end.complete("inner");
        outer.forEach(GroupPermit::close);
        nested.forEach(permit -> permit.join().close());
        waiting.forEach(permit -> permit.join().close());
    }

    /**
     * Runs an owner in the group "owner", which lends its global permit to the first fork that finds none, and then wants it
     * back; what passes the gate does so after that.
     */
    private TaskHandle<String> wantingBack(int global, Function<Forks, Callable<String>> forking) {
        start(1, global);
        return executor.submit("owner", "owner", () -> {
            Forks forks = new Forks(executor, null);
            Callable<String> result = forking.apply(forks);
            engines.witness(executor).waiting("owner", () -> {
                Object offer = forks.offer();
                gate.awaitArrived(global);
                Thread owning = Thread.currentThread();
                Caller<String> opening = Caller.start(() -> {
                    Caller.awaitBlocked(owning);
                    gate.open();
                    return "open";
                });
                forks.withdraw(offer);
                return opening.result();
            });
            return result.call();
        });
    }

    private String callInside(String group) throws Exception {
        return executor.call(group, engines.witness(executor).inside(group, () -> "called"));
    }

    @Test
    @Tag("W4")
    void anOwnerThatWantsItsPermitsBackLendsOnToThoseABorrowerWaitsFor() throws Exception {
        TaskHandle<String> owner = wantingBack(1, forks -> {
            TaskHandle<String> fork = forks.fork("borrower", "borrower", () -> {
                gate.pass();
                return callInside("owner");
            });
            return () -> fork.await().value();
        });

        assertThat(Deadline.within(owner::await).value()).isEqualTo("called");
    }

    @Test
    @Tag("W4")
    void anOwnerThatWantsItsPermitsBackLendsOnToATaskABorrowerWaitsFor() throws Exception {
        TaskHandle<String> owner = wantingBack(1, forks -> {
            TaskHandle<String> fork = forks.fork("borrower", "borrower", () -> {
                gate.pass();
                TaskHandle<String> awaited = forks.fork("owner", "awaited", () -> "awaited");
                return engines.witness(executor)
                        .waiting("borrower", awaited::await)
                        .value();
            });
            return () -> fork.await().value();
        });

        assertThat(Deadline.within(owner::await).value()).isEqualTo("awaited");
    }

    @Test
    @Tag("W4")
    void anOwnerThatWantsItsPermitsBackLendsOnToWhoHoldsWhatABorrowerWaitsFor() throws Exception {
        TaskHandle<String> owner = wantingBack(2, forks -> holderAndBorrower(forks, () -> callInside("owner")));

        assertThat(Deadline.within(owner::await).value()).isEqualTo("called");
    }

    @Test
    @Tag("W4")
    void anOwnerThatWantsItsPermitsBackLendsOnToTheForkOfWhoHoldsWhatABorrowerWaitsFor() throws Exception {
        TaskHandle<String> owner = wantingBack(
                2,
                forks -> holderAndBorrower(forks, () -> {
                    Forks inner = new Forks(executor, forks);
                    TaskHandle<String> fork = inner.fork("owner", "inner", () -> "called");
                    join(inner, "holder");
                    return fork.await().value();
                }));

        assertThat(Deadline.within(owner::await).value()).isEqualTo("called");
    }

    /** Two forks: one with permits of its own, and one that borrows, and then waits for a permit that the first has. */
    private Callable<String> holderAndBorrower(Forks forks, Callable<String> inside) {
        Gate waiting = new Gate();
        TaskHandle<String> holder = forks.fork("holder", "holder", () -> {
            gate.pass();
            waiting.pass();
            return inside.call();
        });
        gate.awaitArrived(1);
        TaskHandle<String> borrower = forks.fork("borrower", "borrower", () -> {
            gate.pass();
            Thread borrowing = Thread.currentThread();
            Caller.start(() -> {
                Caller.awaitBlocked(borrowing);
                waiting.open();
                return "waits";
            });
            return callInside("holder");
        });
        return () -> {
            holder.await();
            return borrower.await().value();
        };
    }

    private int queuedForGlobal() {
        return executor.groupStats("b").orElseThrow().queued();
    }
}
