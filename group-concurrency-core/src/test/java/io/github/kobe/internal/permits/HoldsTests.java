package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of who holds what, beyond what one slot takes. */
class HoldsTests {

    private static final int PAIRS = 2;
    private static final int LOOKS = Depth.pick(100_000, 5_000_000, 50_000_000);

    /** Fills the slots and the first wider table, has the second be made, and shares none of its slots. */
    private static final int MANY = 16_000;

    private final Group group = EngineAccess.engine(
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build()))
            .group("a");
    private final Holds holds = new Holds();

    /** Threads that have not started are in all slots, and none in the map. */
    private void occupyAllSlots() {
        Set<Integer> occupied = new HashSet<>();
        while (occupied.size() < Holds.SLOTS) {
            for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
                Thread thread = kind.unstarted(() -> {});
                if (occupied.add(Holds.slotOf(thread))) {
                    push(thread);
                }
            }
        }
    }

    private Hold push(Thread thread) {
        Hold hold = new Hold(group);
        holds.push(hold, thread);
        return hold;
    }

    private static void close(Hold hold) {
        assertThat(Hold.wasLast(hold.closeForThread())).isTrue();
    }

    private List<Hold> pushMany() {
        List<Hold> many = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            many.add(push(Thread.ofVirtual().unstarted(() -> {})));
        }
        return many;
    }

    private static Thread threadOf(Hold hold) {
        return Objects.requireNonNull(hold.thread);
    }

    private Set<Hold> open() {
        Set<Hold> open = new HashSet<>();
        holds.forEachOpen(hold -> assertThat(open.add(hold)).isTrue());
        return open;
    }

    @Test
    void manyThreadsAtOnceAreFound() {
        List<Hold> many = pushMany();

        assertThat(many)
                .allSatisfy(hold -> assertThat(holds.top(threadOf(hold))).isSameAs(hold));
        assertThat(many).hasSize(MANY);
        assertThat(open()).isEqualTo(Set.copyOf(many)); // AssertJ would look for each in all
    }

    @Test
    void nearlyAllOfManyThreadsAtOnceAreInTables() {
        long inMap = pushMany().stream().filter(hold -> hold.place() < 0).count();

        // Until the second table is made, there is a sixteenth of its slots in the map.
        assertThat(inMap).isBetween(1L, (1L << 16) / 16);
    }

    @Test
    void holdsOfAThreadStayTogetherWhereverTheyAre() {
        for (Hold first : pushMany()) {
            Thread thread = threadOf(first);
            Hold second = push(thread);

            assertThat(second.place()).isEqualTo(first.place());
            assertThat(holds.top(thread)).isSameAs(second);
            assertThat(second.below).isSameAs(first);
            close(first);
            holds.prune(thread);
            assertThat(holds.topOpen(thread)).isSameAs(second);
            close(second);
            holds.prune(thread);
            assertThat(holds.top(thread)).isNull();
        }
        assertThat(open()).isEmpty();
    }

    @Test
    void whatIsClosedIsOffTheTables() {
        for (Hold hold : pushMany()) {
            close(hold);
            holds.prune(threadOf(hold));
        }

        assertThat(pushMany()).allSatisfy(hold -> assertThat(hold.place()).isNotNegative());
    }

    @Test
    void aHoldThatIsAloneIsTakenOffAnyTableAndLeftInTheMap() {
        for (Hold hold : pushMany()) {
            Thread thread = threadOf(hold);

            assertThat(holds.removeNewest(hold, thread)).isEqualTo(hold.place() >= 0);
            assertThat(holds.top(thread)).isSameAs(hold.place() >= 0 ? null : hold);
            assertThat(holds.removeNewest(hold, thread)).isFalse();
        }
    }

    @Test
    void aHoldThatIsNotInASlotIsNotParked() {
        occupyAllSlots();
        pushMany();
        for (int i = 0; i < 100; i++) {
            Hold hold = new Hold(group);
            hold.setParkable();
            holds.push(hold, new Thread());

            assertThat(hold.place()).isPositive();
            assertThat(hold.park()).isFalse();
        }
    }

    /** As with tasks: who starts a thread puts its hold in, and that thread takes it off. */
    @Test
    void whoIsInterruptedOnItsWayIntoAPermitLeavesNothingBehind() throws Exception {
        GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        Gate gate = new Gate();
        GroupPermit permit = executor.acquire("a");
        Caller<String> lender = Caller.start(() -> permit.call(
                () -> executor.submit("a", "borrower", gate.then("ran")).await().value()));
        gate.awaitArrived(1);
        Caller<String> entering = Caller.start(() -> permit.call(() -> "never"));
        entering.awaitBlockedOnACondition();

        entering.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(entering::result);
        assertThat(EngineAccess.engine(executor).holds.top(entering.thread())).isNull();
        gate.open();
        assertThat(lender.result()).isEqualTo("ran");
        permit.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aThreadIsFoundWhileOthersComeAndGo(boolean withWiderTables) throws Exception {
        occupyAllSlots();
        if (withWiderTables) {
            pushMany();
        }
        AtomicBoolean over = new AtomicBoolean();
        List<Caller<Boolean>> others = new ArrayList<>();
        for (int i = 0; i < PAIRS; i++) {
            BlockingQueue<Hold> started = new ArrayBlockingQueue<>(2);
            others.add(Caller.startPlatform(() -> {
                while (!over.get()) {
                    started.put(push(Thread.ofVirtual().unstarted(() -> {})));
                }
                return started.offer(push(Thread.currentThread()), Deadline.SECONDS, TimeUnit.SECONDS);
            }));
            others.add(Caller.startPlatform(() -> {
                for (Hold hold = started.take(); ; hold = started.take()) {
                    close(hold);
                    holds.prune(threadOf(hold));
                    if (over.get() && started.isEmpty()) {
                        return true;
                    }
                }
            }));
        }
        Hold own = push(Thread.currentThread());

        int found = 0;
        for (int i = 0; i < LOOKS; i++) {
            found += own.equals(holds.topOpen(Thread.currentThread())) ? 1 : 0;
        }
        over.set(true);

        assertThat(found).isEqualTo(LOOKS);
        for (Caller<Boolean> other : others) {
            assertThat(other.result()).isTrue();
        }
    }
}
