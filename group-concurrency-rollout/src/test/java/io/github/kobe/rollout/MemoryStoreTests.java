package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.internal.memory.MemoryStore;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.Waves;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What has to be seen many times to be believed. */
class MemoryStoreTests {

    private static final Waves WAVES = new Waves(List.of(1), null, FailureReaction.PAUSE, Duration.ZERO, null, null);

    private static final int ROUNDS = 20;
    private static final int PLANS = 100;

    @Test
    @Tag("R120")
    void noDriveIsLostThatBecomesDueWhileTheStoreOpens() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            PlanStore store = new MemoryStore(InstantSource.system());
            Set<PlanId> driven = ConcurrentHashMap.newKeySet();
            CountDownLatch begun = new CountDownLatch(2);
            List<Thread> writers = new ArrayList<>();
            for (String name : List.of("plan-a", "plan-b")) {
                writers.add(Thread.ofPlatform().start(() -> {
                    begun.countDown();
                    for (int index = 0; index < PLANS; index++) {
                        schedule(store, PlanId.of(name + index));
                    }
                }));
            }
            begun.await();
            store.open(
                    (planId, number) -> {
                        driven.add(planId);
                        return null;
                    },
                    "n1");
            for (Thread writer : writers) {
                Deadline.join(writer);
            }
            Deadline.until("all driven", () -> driven.size() == 2 * PLANS);
            store.close();
        }
        assertThat(ROUNDS).isPositive();
    }

    private static void schedule(PlanStore store, PlanId planId) {
        store.transact(transaction -> {
            Instant now = store.now();
            DriveState due = DriveState.none(now).next(now);
            transaction.save(PlanRecord.created(planId, 1, WAVES, "tester", now).driven(due));
            transaction.schedule(planId, due.number(), now);
            return planId;
        });
    }
}
