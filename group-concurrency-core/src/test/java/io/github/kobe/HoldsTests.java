package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The table of who holds what, beyond what one slot takes. */
class HoldsTests {

    private static final int PAIRS = 2;
    private static final int LOOKS = 10_000_000;

    private final Group group = GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().build())
            .engine()
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
        Hold hold = new Hold(null, group, true);
        holds.push(hold, thread);
        return hold;
    }

    /** As with tasks: who starts a thread puts its hold in, and that thread takes it off. */
    @Test
    void aThreadIsFoundWhileOthersComeAndGo() throws Exception {
        occupyAllSlots();
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
                    assertThat(hold.closeOnce()).isTrue();
                    holds.prune(Objects.requireNonNull(hold.thread));
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
